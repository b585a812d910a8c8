import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;
import packtool.host.Canceller;
import packtool.host.ErrorCode;
import packtool.host.HostSettings;
import packtool.host.Network;
import packtool.host.PackAnswer;
import packtool.host.PackHost;
import packtool.host.PackRequest;
import packtool.host.PackView;
import packtool.host.RequestKind;
import packtool.host.UpdatePhase;

/**
 * One run of an app: installs a version, shows it, confirms it, takes the next one while a page is open, goes back from a third that never
 * works, and starts without its registry. Arguments: the store, the registry's address, the path of root.json. It asks for versions by
 * lines.
 */
final class Life {
    private final PackHost host;
    private final PackView view;

    private Life(PackHost host, PackView view) {
        this.host = host;
        this.view = view;
    }

    public static void main(String[] arguments) throws Exception {
        HostSettings settings =
                Check.settings(arguments).activatesAtOnce().schemes(Arrays.asList("h5pack")).fact("model", "a \"model\" \\ of ü 🛳");
        PackHost host = PackHost.open(settings);
        host.start(PackHost.NO_LIMIT, null);
        PackView view = host.openView();
        Life life = new Life(host, view);
        life.install();
        life.firstPage();
        life.bytes();
        life.limits(arguments);
        life.nextVersion();
        life.brokenVersion();
        // An answer outlives its host.
        PackAnswer answer = Check.part(view, Check.PAGE + "app.js");
        Check.that(host.close(20_000), "the host still works");
        Check.equal("say('two')", new String(answer.bytes(), StandardCharsets.UTF_8));
        answer.close();
        Check.fails(ErrorCode.CLOSED, () -> Check.part(view, Check.PAGE + "app.js"));
        view.close();
        withoutRegistry(arguments);
        System.out.println("done");
    }

    private void install() throws Exception {
        Check.fails(ErrorCode.NOT_FOUND, view::confirm);
        Check.has(host.check("shop", 60_000, null), "would-install");
        Set<UpdatePhase> phases = EnumSet.noneOf(UpdatePhase.class);
        long[] received = {0};
        Thread caller = Thread.currentThread();
        String report = host.update(null, progress -> {
            Check.that(Thread.currentThread() == caller, "another thread");
            phases.add(progress.phase());
            boolean isChecking = progress.phase() == UpdatePhase.CHECKING;
            Check.that(isChecking ? progress.packageName() == null : progress.packageName().equals("shop"), progress);
            Check.that(isChecking ? progress.version() == null : progress.version().equals("1.0.0"), progress);
            Check.that(progress.expected() == -1 || progress.expected() >= progress.received(), progress);
            received[0] = Math.max(received[0], progress.received());
            return true;
        }, 60_000, null);
        Check.has(report, "\"outcome\":\"activated\"");
        Check.that(phases.containsAll(EnumSet.of(UpdatePhase.CHECKING, UpdatePhase.DOWNLOADING, UpdatePhase.INSTALLING)), phases);
        Check.that(received[0] > 0, "no bytes");
    }

    private void firstPage() throws Exception {
        PackAnswer answer = view.resolve(PackRequest.document(Check.PAGE), 30_000, null);
        Check.equal(200, answer.status());
        Check.that(answer.online() == null, answer.online());
        Check.equal("installed", answer.reason());
        Check.equal("text/html; charset=utf-8", answer.headers().get("content-type"));
        Check.equal(Long.toString(answer.length()), answer.headers().get("content-length"));
        Check.has(new String(answer.bytes(), StandardCharsets.UTF_8), "<title>one</title>");
        String tag = answer.headers().get("etag");
        answer.close();
        Check.equal("say('one')", Check.text(view, Check.PAGE + "app.js"));
        Check.equal("say('one')", Check.text(view, "h5pack://shop/app.js"));

        answer = Check.resolve(view, RequestKind.PART, Check.PAGE, Collections.singletonMap("If-None-Match", tag));
        Check.equal(304, answer.status());
        Check.equal(0L, answer.length());
        Check.equal(-1, answer.body().read());
        answer.close();
        answer = Check.part(view, Check.PAGE + "none.js");
        Check.equal(404, answer.status());
        Check.equal("notInVersion", answer.reason());
        answer.close();
        answer = Check.part(view, "https://example.org/ünd?🛳");
        Check.equal(0, answer.status());
        Check.equal("https://example.org/ünd?🛳", answer.online());
        Check.equal("foreign", answer.reason());
        answer.close();

        String load = view.load();
        Check.has(load, "\"missing\":[\"https://shop.package/none.js\"]");
        Check.fails(ErrorCode.REFUSED, () -> host.confirm("shop", "1.0.0", "not the token"));
        view.confirm();
        view.confirm();
        Check.has(host.status(), "\"confirmed\":true");
    }

    /** The same bytes by every way, whole and in parts. */
    private void bytes() throws Exception {
        PackAnswer answer = Check.part(view, Check.PAGE + "data.txt");
        byte[] file = Files.readAllBytes(Paths.get(answer.file()));
        byte[] whole = Arrays.copyOfRange(file, (int) answer.offset(), (int) (answer.offset() + answer.length()));
        Check.that(whole.length > 100_000, whole.length);
        Check.that(Arrays.equals(whole, answer.bytes()), "bytes");
        for (int size : new int[] {7, 4096, 65_536, 1_000_000})
            Check.that(Arrays.equals(whole, drained(answer.body(), size)), "a stream by " + size);
        InputStream stream = answer.body();
        Check.equal(whole.length, stream.available());
        Check.equal(whole[0] & 0xff, stream.read());
        Check.equal(70_000L, stream.skip(70_000));
        Check.equal(whole[70_001] & 0xff, stream.read());
        Check.equal((long) whole.length - 70_002, stream.skip(Long.MAX_VALUE));
        Check.equal(-1, stream.read());
        Check.equal(-1, answer.read(Long.MAX_VALUE, new byte[10], 0, 10));
        Check.equal(0, answer.read(0, new byte[10], 10, 0));
        // Only the part that is asked for is written.
        byte[] buffer = new byte[10];
        Check.equal(3, answer.read(1, buffer, 4, 3));
        byte[] expected = new byte[10];
        System.arraycopy(whole, 1, expected, 4, 3);
        Check.that(Arrays.equals(expected, buffer), Arrays.toString(buffer));
        stream.close();
        Check.fails(ErrorCode.CLOSED, answer::bytes);
        Check.fails(ErrorCode.CLOSED, stream::read);

        answer = Check.resolve(
                view, RequestKind.PART, Check.PAGE + "data.txt", Collections.singletonMap("Range", "bytes=100-70099"));
        Check.equal(206, answer.status());
        Check.equal("bytes 100-70099/" + whole.length, answer.headers().get("content-range"));
        Check.that(Arrays.equals(Arrays.copyOfRange(whole, 100, 70_100), drained(answer.body(), 1000)), "a range");
        answer.close();
        answer = Check.resolve(
                view, RequestKind.PART, Check.PAGE + "data.txt", Collections.singletonMap("Range", "bytes=90000000-"));
        Check.equal(416, answer.status());
        answer.close();
    }

    private static byte[] drained(InputStream stream, int size) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        byte[] buffer = new byte[size];
        for (int count; (count = stream.read(buffer)) >= 0; ) bytes.write(buffer, 0, count);
        return bytes.toByteArray();
    }

    private void limits(String[] arguments) throws Exception {
        try (Canceller canceller = new Canceller()) {
            canceller.cancel();
            Check.fails(ErrorCode.CANCELLED, () -> host.update(null, null, PackHost.NO_LIMIT, canceller));
        }
        host.setNetwork(Network.METERED);
        host.setNetwork(Network.UNKNOWN);
        host.setChannel("stable");
        // A registry that takes connections and never answers: an update of it does not end by itself.
        try (ServerSocket mute = new ServerSocket(0, 16, InetAddress.getLoopbackAddress());
                PackHost other = PackHost.open(
                        new HostSettings(arguments[0] + "-of-mute", "http://127.0.0.1:" + mute.getLocalPort()).rootFile(arguments[2]));
                Canceller canceller = new Canceller()) {
            Check.fails(ErrorCode.TIMED_OUT, () -> other.update(null, null, 0, null));
            Check.fails(ErrorCode.TIMED_OUT, () -> other.update(null, null, 200, null));
            Check.fails(ErrorCode.CANCELLED, () -> other.update(null, progress -> false, PackHost.NO_LIMIT, null));
            Check.fails(ErrorCode.CANCELLED, () -> other.update(null, progress -> {
                canceller.cancel();
                return true;
            }, PackHost.NO_LIMIT, canceller));
            Thread closing = new Thread(() -> {
                try {
                    Thread.sleep(300);
                } catch (InterruptedException error) {
                    throw new AssertionError(error);
                }
                other.close(20_000);
            });
            closing.start();
            Check.fails(ErrorCode.CLOSED, () -> other.update(null, null, PackHost.NO_LIMIT, null));
            closing.join();
        }
    }

    /** The page keeps its version over an update; the next one is new. */
    private void nextVersion() throws Exception {
        Check.ask("publish 2.0.0 two");
        Check.has(host.update(PackHost.OPENED, null, 60_000, null), "\"version\":\"2.0.0\"");
        Check.has(view.load(), "\"version\":\"1.0.0\"");
        Check.equal("say('one')", Check.text(view, Check.PAGE + "app.js"));
        Check.fails(ErrorCode.REFUSED, view::confirm);
        Check.has(Check.page(view), "<title>two</title>");
        Check.equal("say('two')", Check.text(view, Check.PAGE + "app.js"));
        view.confirm();
    }

    /** A version that does not work, by the app's own word, and back. */
    private void brokenVersion() throws Exception {
        Check.ask("publish 3.0.0 three");
        Check.has(host.update("shop", null, 60_000, null), "\"version\":\"3.0.0\"");
        Check.has(Check.page(view), "<title>three</title>");
        Check.equal("2.0.0", host.rollBack("shop", "its page is blank: ü 🛳"));
        Check.has(Check.page(view), "<title>two</title>");
        Check.has(host.explain("shop", 100), "its page is blank: ü 🛳");
        Check.fails(ErrorCode.NOT_FOUND, () -> host.rollBack("other", null));
        host.endSession(5000, null);
    }

    private static void withoutRegistry(String[] arguments) throws Exception {
        try (PackHost host = PackHost.open(new HostSettings(arguments[0], "http://127.0.0.1:9"));
                PackView view = host.openView()) {
            host.start(PackHost.NO_LIMIT, null);
            Check.has(Check.page(view), "<title>two</title>");
            Check.equal("say('two')", Check.text(view, Check.PAGE + "app.js"));
            Check.fails(ErrorCode.UNREACHABLE, () -> host.update(null, null, 60_000, null));
            Check.fails(ErrorCode.UNREACHABLE, () -> host.check(null, 60_000, null));
        }
    }
}
