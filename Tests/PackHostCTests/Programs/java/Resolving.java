import java.io.InputStream;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import packtool.host.PackAnswer;
import packtool.host.PackHost;
import packtool.host.PackRequest;
import packtool.host.PackView;
import packtool.host.RequestKind;

/**
 * How long a JVM takes for a request of a file of 100 KB, from the request to its last byte. Prints the median and the 99th percentile in
 * microseconds. Arguments: the store, the registry's address, the path of root.json, the number of requests, and the number of files, which
 * are called file-0.bin and so on.
 */
final class Resolving {
    private static final int SIZE = 100_000;

    public static void main(String[] arguments) throws Exception {
        int count = Integer.parseInt(arguments[3]), files = Integer.parseInt(arguments[4]);
        Map<String, String> headers = new LinkedHashMap<>();
        // As a web view sends them, and as scripts/bench-resolver.sh does.
        headers.put("Accept", "*/*");
        headers.put("Sec-Fetch-Dest", "script");
        headers.put("Referer", Check.PAGE);
        headers.put(
                "User-Agent",
                "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Safari/605.1.15");
        byte[] buffer = new byte[128 * 1024];
        long[] times = new long[count];
        try (PackHost host = PackHost.open(Check.settings(arguments).activatesAtOnce()); PackView view = host.openView()) {
            Check.update(host);
            Check.page(view);
            PackRequest[] requests = new PackRequest[files];
            for (int number = 0; number < files; number++)
                requests[number] = new PackRequest(RequestKind.PART, "GET", Check.PAGE + "file-" + number + ".bin", headers);
            for (int round = 0; round < count * 2; round++) {
                PackRequest request = requests[(int) (round * 7919L % files)];
                long start = System.nanoTime();
                int sum = 0;
                try (PackAnswer answer = view.resolve(request, 1000, null); InputStream body = answer.body()) {
                    for (int read; (read = body.read(buffer)) > 0; ) sum += read;
                }
                // The first half warms the caches and the compiler.
                if (round >= count) times[round - count] = System.nanoTime() - start;
                Check.equal(SIZE, sum);
            }
        }
        Arrays.sort(times);
        System.out.printf("%.1f %.1f%n", times[count / 2] / 1000.0, times[count * 99 / 100] / 1000.0);
    }
}
