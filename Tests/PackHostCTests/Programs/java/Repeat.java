import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Comparator;
import java.util.stream.Stream;
import packtool.host.HostSettings;
import packtool.host.PackAnswer;
import packtool.host.PackHost;
import packtool.host.PackView;

/**
 * Many whole updates in one process, each of them into a new store, with everything that an app does around one. Prints how much memory the
 * process had after the first ones and at the end. Arguments: the store, the registry's address, the path of root.json, the number of
 * updates, and by how many MB the process may grow.
 */
final class Repeat {
    public static void main(String[] arguments) throws Exception {
        int count = Integer.parseInt(arguments[3]), warm = Math.max(10, count / 5);
        double before = 0;
        for (int number = 0; number < count; number++) {
            once(arguments);
            if (number + 1 == warm) before = megabytes();
        }
        double after = megabytes();
        System.out.printf("%d updates: %.1f MB after %d, %.1f MB at the end%n", count, before, warm, after);
        Check.that(after - before < Double.parseDouble(arguments[4]), "the process grew by " + (after - before) + " MB");
    }

    private static void once(String[] arguments) throws IOException {
        String store = arguments[0] + "-again";
        long[] events = {0};
        try (PackHost host = PackHost.open(new HostSettings(store, arguments[1]).rootFile(arguments[2]).activatesAtOnce());
                PackView view = host.openView()) {
            host.start(PackHost.NO_LIMIT, null);
            String report = host.update(null, progress -> ++events[0] > 0, 60_000, null);
            Check.has(report, "\"outcome\":\"activated\"");
            Check.that(events[0] > 0, "no progress");
            Check.has(Check.page(view), "<title>one</title>");
            // As a page with ten parts.
            for (int part = 0; part < 10; part++)
                try (PackAnswer answer = Check.part(view, Check.PAGE + "data.txt")) {
                    Check.equal(answer.length(), (long) answer.bytes().length);
                }
            view.confirm();
            Check.has(host.status(), "\"confirmed\":true");
        }
        try (Stream<Path> files = Files.walk(Paths.get(store))) {
            files.sorted(Comparator.reverseOrder()).map(Path::toFile).forEach(File::delete);
        }
    }

    /** The memory of the process that is its own: without the files that it has mapped, of which pages come and go. */
    private static double megabytes() throws IOException, InterruptedException {
        for (int round = 0; round < 3; round++) {
            System.gc();
            Thread.sleep(100);
        }
        for (String line : Files.readAllLines(Paths.get("/proc/self/status")))
            if (line.startsWith("RssAnon:")) return Long.parseLong(line.replaceAll("[^0-9]", "")) / 1024.0;
        throw new AssertionError("no RssAnon");
    }
}
