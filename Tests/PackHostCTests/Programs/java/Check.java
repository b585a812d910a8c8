import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.Map;
import packtool.host.ErrorCode;
import packtool.host.HostSettings;
import packtool.host.PackAnswer;
import packtool.host.PackHost;
import packtool.host.PackHostException;
import packtool.host.PackRequest;
import packtool.host.PackView;
import packtool.host.RequestKind;

/** What the programs of this folder share. A fault ends the program with an exception and status 1. */
final class Check {
    static final String PAGE = "https://shop.package/";

    private static final BufferedReader INPUT =
            new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));

    private Check() {}

    interface Work {
        void run() throws Exception;
    }

    static void that(boolean condition, Object what) {
        if (!condition) throw new AssertionError(what);
    }

    static void equal(Object expected, Object found) {
        if (!expected.equals(found)) throw new AssertionError("expected: " + expected + "\nfound: " + found);
    }

    static void has(String text, String part) {
        that(text.contains(part), "no " + part + " in " + text);
    }

    /** Work fails with a code, and a message. */
    static void fails(ErrorCode code, Work work) throws Exception {
        try {
            work.run();
        } catch (PackHostException error) {
            that(error.code() == code, "expected: " + code + "\nfound: " + error.code() + ": " + error.getMessage());
            that(!error.getMessage().isEmpty(), "no message");
            return;
        }
        throw new AssertionError("expected: " + code + "\nfound: nothing");
    }

    static void throwing(Class<? extends Throwable> type, Work work) throws Exception {
        try {
            work.run();
        } catch (Throwable error) {
            that(type.isInstance(error), "expected: " + type + "\nfound: " + error);
            return;
        }
        throw new AssertionError("expected: " + type + "\nfound: nothing");
    }

    /** Asks the test for something, by a line, and waits until it is done. */
    static void ask(String what) throws IOException {
        System.out.println(what);
        equal("done", String.valueOf(INPUT.readLine()));
    }

    /** Settings of a program whose arguments are a store, a registry's address and the path of a root. */
    static HostSettings settings(String[] arguments) {
        return new HostSettings(arguments[0], arguments[1]).rootFile(arguments[2]);
    }

    static PackAnswer resolve(PackView view, RequestKind kind, String url, Map<String, String> headers) throws IOException {
        return view.resolve(new PackRequest(kind, "GET", url, headers), 60_000, null);
    }

    static PackAnswer part(PackView view, String url) throws IOException {
        return resolve(view, RequestKind.PART, url, Collections.emptyMap());
    }

    /** The text of a part. */
    static String text(PackView view, String url) throws IOException {
        try (PackAnswer answer = part(view, url)) {
            return new String(answer.bytes(), StandardCharsets.UTF_8);
        }
    }

    /** The text of the view's next page. */
    static String page(PackView view) throws IOException {
        try (PackAnswer answer = view.resolve(PackRequest.document(PAGE), 60_000, null)) {
            equal(200, answer.status());
            return new String(answer.bytes(), StandardCharsets.UTF_8);
        }
    }

    static void update(PackHost host) throws IOException {
        has(host.update(null, null, 60_000, null), "\"packages\"");
    }
}
