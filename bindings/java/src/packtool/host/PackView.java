package packtool.host;

import java.io.ByteArrayOutputStream;
import java.util.Map;
import java.util.Objects;

/**
 * What one web view shows. Every page in it gets all its files from the version that was active when the page started. Every method may
 * be called from any thread.
 */
public final class PackView implements AutoCloseable {
    private final Handle handle;

    PackView(long handle) {
        this.handle = new Handle(handle);
    }

    /**
     * Answers a request of the view. A request that the device has a file for is answered at once, without a lock of the store and
     * without the network. A file that is still on its way is waited for. Close the answer, or the stream of its body.
     *
     * @param milliseconds the longest time to wait, or {@link PackHost#NO_LIMIT}
     * @param canceller may be null
     */
    public PackAnswer resolve(PackRequest request, long milliseconds, Canceller canceller) throws PackHostException {
        Objects.requireNonNull(request, "request");
        ByteArrayOutputStream texts = new ByteArrayOutputStream(512);
        Text.add(texts, "method", request.method());
        Text.add(texts, "url", request.url());
        for (Map.Entry<String, String> header : request.headers().entrySet()) {
            Text.add(texts, "a header's name", header.getKey());
            Text.add(texts, header.getKey(), header.getValue());
        }
        long[] numbers = new long[Native.NUMBER_COUNT];
        byte[] answer = Native.resolve(
                handle.get(), texts.toByteArray(), request.headers().size(), request.kind().ordinal(), milliseconds,
                Canceller.handle(canceller), numbers);
        return new PackAnswer(numbers, answer);
    }

    /**
     * Confirms that the version of the page on view works. Waits, with no limit, for what the host does at that moment.
     *
     * @throws PackHostException {@link ErrorCode#NOT_FOUND} if the view shows no page that the device has answered; {@link
     *     ErrorCode#REFUSED} if another version or load has replaced it
     */
    public void confirm() throws PackHostException {
        Native.confirmView(handle.get());
    }

    /**
     * The load of the page on view as JSON, for {@link PackHost#confirm} and for the page itself: {@code {"package": …, "version": …,
     * "token": …, "missing": […]}}. {@code missing} has the addresses of scripts and styles that the page requested and its version does
     * not have: such a page is not ready when it has loaded.
     */
    public String load() throws PackHostException {
        return Text.of(Native.load(handle.get()));
    }

    @Override
    public void close() {
        Native.free(handle.take());
    }
}
