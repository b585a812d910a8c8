import java.io.IOException;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.Random;
import packtool.host.Canceller;
import packtool.host.ErrorCode;
import packtool.host.HostSettings;
import packtool.host.Network;
import packtool.host.PackAnswer;
import packtool.host.PackFolder;
import packtool.host.PackHost;
import packtool.host.PackHostException;
import packtool.host.PackRequest;
import packtool.host.PackView;
import packtool.host.RequestKind;

/**
 * What an app may do wrong, one by one and then at random from eight threads, and none of it may end the process. Arguments: a store with a
 * version of shop, the registry's address, the path of root.json, the number of random calls.
 */
final class Misuse {
    private static final int THREADS = 8, SLOTS = 8;
    private static String[] arguments;

    public static void main(String[] given) throws Exception {
        arguments = given;
        wrongArguments();
        closed();
        listeners();
        many(Integer.parseInt(given[3]));
        System.out.println("done");
    }

    private static PackHost open() throws PackHostException {
        return PackHost.open(Check.settings(arguments).schemes(Collections.singletonList("h5pack")));
    }

    private static void wrongArguments() throws Exception {
        Check.throwing(NullPointerException.class, () -> PackHost.open((String) null));
        Check.throwing(NullPointerException.class, () -> PackHost.open((HostSettings) null));
        Check.throwing(NullPointerException.class, () -> new HostSettings(null, "x"));
        Check.throwing(NullPointerException.class, () -> new HostSettings("x", "y").tags(Collections.singletonMap("a", null)));
        Check.throwing(IllegalArgumentException.class, () -> PackHost.open("{\0}"));
        Check.throwing(IllegalArgumentException.class, () -> PackHost.open("{\"store\": \"\ud83d\"}"));
        for (String wrong : new String[] {"", "{", "[]", "{}", "{\"store\": \"\", \"registry\": \"x\"}"})
            Check.fails(ErrorCode.WRONG_ARGUMENT, () -> PackHost.open(wrong));
        HostSettings unknown = new HostSettings("/tmp/x", "x").fact("ünknown 🛳 \"", "x");
        Check.fails(ErrorCode.WRONG_ARGUMENT, () -> PackHost.open(unknown));
        try (PackHost host = open(); PackView view = host.openView()) {
            Check.throwing(NullPointerException.class, () -> view.resolve(null, 0, null));
            Check.throwing(NullPointerException.class, () -> PackRequest.part(null));
            Check.throwing(NullPointerException.class, () -> new PackRequest(null, "GET", "x", Collections.emptyMap()));
            Check.throwing(NullPointerException.class, () -> new PackRequest(RequestKind.PART, "GET", "x", null));
            Map<String, String> headers = new HashMap<>();
            headers.put("a", null);
            Check.throwing(
                    NullPointerException.class,
                    () -> view.resolve(new PackRequest(RequestKind.PART, "GET", Check.PAGE, headers), 0, null));
            Check.throwing(
                    IllegalArgumentException.class,
                    () -> view.resolve(PackRequest.part(Check.PAGE + "\0"), 0, null));
            Check.throwing(NullPointerException.class, () -> host.confirm("shop", null, "t"));
            Check.throwing(NullPointerException.class, () -> host.rollBack(null, null));
            Check.throwing(NullPointerException.class, () -> host.folder(null));
            Check.fails(ErrorCode.WRONG_ARGUMENT, () -> host.folder("No Package"));
            Check.throwing(NullPointerException.class, () -> host.setChannel(null));
            Check.throwing(NullPointerException.class, () -> host.setNetwork(null));
            Check.throwing(IllegalArgumentException.class, () -> host.explain(null, -1));
            Check.throwing(IllegalArgumentException.class, () -> host.rollBack("shop\0", null));
            Check.fails(ErrorCode.WRONG_ARGUMENT, () -> host.explain("shop,,", 1));
            Check.fails(ErrorCode.WRONG_ARGUMENT, () -> host.confirm("shop", "not a version", "t"));
            try (PackAnswer answer = view.resolve(PackRequest.document(Check.PAGE), 30_000, null)) {
                byte[] buffer = new byte[8];
                Check.throwing(NullPointerException.class, () -> answer.read(0, null, 0, 0));
                Check.throwing(NullPointerException.class, () -> answer.body().read(null, 0, 1));
                Check.throwing(IllegalArgumentException.class, () -> answer.read(-1, buffer, 0, 1));
                int[][] ranges = {{-1, 1}, {0, 9}, {8, 1}, {9, 0}, {0, -1}, {Integer.MAX_VALUE, Integer.MAX_VALUE}};
                for (int[] range : ranges) {
                    Check.throwing(IndexOutOfBoundsException.class, () -> answer.read(0, buffer, range[0], range[1]));
                    Check.throwing(IndexOutOfBoundsException.class, () -> answer.body().read(buffer, range[0], range[1]));
                }
            }
        }
    }

    /** Each object after its close, and closed twice. */
    private static void closed() throws Exception {
        PackHost host = open();
        PackView view = host.openView();
        PackAnswer answer = view.resolve(PackRequest.document(Check.PAGE), 30_000, null);
        Canceller canceller = new Canceller();
        answer.close();
        answer.close();
        Check.fails(ErrorCode.CLOSED, answer::bytes);
        Check.fails(ErrorCode.CLOSED, () -> answer.read(0, new byte[1], 0, 0));
        Check.equal(200, answer.status());
        Check.equal(0, answer.body().available());
        canceller.close();
        canceller.close();
        canceller.cancel();
        Check.fails(ErrorCode.CLOSED, () -> host.start(1000, canceller));
        view.close();
        view.close();
        Check.fails(ErrorCode.CLOSED, view::confirm);
        Check.fails(ErrorCode.CLOSED, view::load);
        Check.fails(ErrorCode.CLOSED, () -> Check.part(view, Check.PAGE));
        PackView other = host.openView();
        Check.that(host.close(20_000), "the host still works");
        Check.that(!host.close(20_000), "closed twice");
        host.close();
        Check.fails(ErrorCode.CLOSED, host::status);
        Check.fails(ErrorCode.CLOSED, () -> host.folder("shop"));
        Check.fails(ErrorCode.CLOSED, host::openView);
        Check.fails(ErrorCode.CLOSED, () -> host.update(null, null, 0, null));
        Check.fails(ErrorCode.CLOSED, () -> Check.part(other, Check.PAGE));
        other.close();
    }

    private static final class Odd extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    /** Listeners that throw, call the host, and close it. */
    private static void listeners() throws Exception {
        PackHost host = open();
        int[] count = {0};
        Check.throwing(Odd.class, () -> host.update(null, progress -> {
            count[0]++;
            throw new Odd();
        }, 60_000, null));
        Check.equal(1, count[0]);
        Check.throwing(StackOverflowError.class, () -> host.update(null, progress -> endless(0) > 0, 60_000, null));
        String[] inside = {""};
        Check.has(host.update(null, progress -> {
            try {
                inside[0] = host.status();
            } catch (PackHostException error) {
                throw new AssertionError(error);
            }
            return true;
        }, 60_000, null), "\"packages\"");
        Check.has(inside[0], "\"shop\"");
        AtomicReference<Boolean> ended = new AtomicReference<>();
        try {
            host.update(null, progress -> {
                ended.compareAndSet(null, host.close(20_000));
                return true;
            }, 60_000, null);
        } catch (PackHostException error) {
            Check.equal(ErrorCode.CLOSED, error.code());
        }
        Check.equal(true, ended.get());
        Check.fails(ErrorCode.CLOSED, host::status);
    }

    private static int endless(int depth) {
        return endless(depth + 1) + 1;
    }

    /** Objects that all threads use and close, whoever made them. */
    private static final AtomicReferenceArray<PackHost> HOSTS = new AtomicReferenceArray<>(SLOTS);
    private static final AtomicReferenceArray<PackView> VIEWS = new AtomicReferenceArray<>(SLOTS);
    private static final AtomicReferenceArray<PackAnswer> ANSWERS = new AtomicReferenceArray<>(SLOTS);
    private static final AtomicReferenceArray<Canceller> CANCELLERS = new AtomicReferenceArray<>(SLOTS);

    private static void many(int calls) throws Exception {
        AtomicReference<Throwable> fault = new AtomicReference<>();
        Thread[] threads = new Thread[THREADS];
        for (int number = 0; number < THREADS; number++) {
            Random random = new Random(number);
            threads[number] = new Thread(() -> {
                for (int call = 0; call < calls / THREADS && fault.get() == null; call++) {
                    try {
                        oneCall(random);
                    } catch (PackHostException error) {
                        if (error.code() == ErrorCode.FAILED) fault.compareAndSet(null, error);
                    } catch (Odd error) {
                        continue;
                    } catch (Throwable error) {
                        fault.compareAndSet(null, error);
                    }
                }
            });
            threads[number].start();
        }
        for (Thread thread : threads) thread.join();
        if (fault.get() != null) throw new AssertionError(fault.get());
        for (int slot = 0; slot < SLOTS; slot++) {
            give(HOSTS, slot, null);
            give(VIEWS, slot, null);
            give(ANSWERS, slot, null);
            give(CANCELLERS, slot, null);
        }
    }

    /** Keeps an object in the place of another, which is closed; it may have been before. */
    private static <T extends AutoCloseable> void give(AtomicReferenceArray<T> place, int slot, T object) {
        T old = place.getAndSet(slot, object);
        try {
            if (old != null) old.close();
        } catch (Exception error) {
            throw new AssertionError(error);
        }
    }

    private static void oneCall(Random random) throws IOException {
        int slot = random.nextInt(SLOTS), other = random.nextInt(SLOTS);
        PackHost host = HOSTS.get(slot);
        PackView view = VIEWS.get(slot);
        PackAnswer answer = ANSWERS.get(slot);
        Canceller canceller = CANCELLERS.get(slot);
        if (host == null) {
            give(HOSTS, other, open());
            return;
        }
        switch (random.nextInt(19)) {
            case 0: give(HOSTS, other, open()); break;
            case 1: give(VIEWS, other, host.openView()); break;
            case 2: give(CANCELLERS, other, new Canceller()); break;
            case 3: if (canceller != null) canceller.cancel(); break;
            case 4: if (canceller != null) canceller.close(); break;
            case 5: if (random.nextInt(4) == 0) host.close(random.nextInt(20)); break;
            case 6: if (view != null) view.close(); break;
            case 7: if (answer != null) answer.close(); break;
            case 8: host.status(); break;
            case 9: host.explain(null, 5); break;
            case 10: host.check(null, random.nextInt(30), canceller); break;
            case 11:
                host.update(PackHost.OPENED, progress -> {
                    if (random.nextInt(8) == 0) throw new Odd();
                    return random.nextInt(4) != 0;
                }, random.nextInt(60), canceller);
                break;
            case 12: if (view != null) view.confirm(); break;
            case 13: if (view != null) view.load(); break;
            case 14: host.setNetwork(Network.values()[random.nextInt(3)]); break;
            case 15: if (answer != null) answer.body().read(new byte[random.nextInt(100_000)]); break;
            case 16:
                try (PackFolder folder = host.folder("shop")) {
                    if (folder.path().isEmpty()) throw new AssertionError("no path");
                }
                break;
            default:
                if (view == null) return;
                boolean isDocument = random.nextInt(4) == 0;
                PackRequest request = isDocument ? PackRequest.document(Check.PAGE) : PackRequest.part("h5pack://shop/data.txt");
                give(ANSWERS, other, view.resolve(request, random.nextInt(200), canceller));
        }
    }
}
