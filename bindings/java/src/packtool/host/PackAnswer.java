package packtool.host;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/**
 * The answer to one request. Its versions stay on the device until it is closed, also if the host is closed before. Every method may be
 * called from any thread.
 */
public final class PackAnswer implements AutoCloseable {
    private static final int FILE = 2;

    private final Handle handle;
    private final int status;
    private final String reason;
    private final String online;
    private final Map<String, String> headers;
    private final String file;
    private final long offset;
    private final long length;

    PackAnswer(long[] numbers, byte[] bytes) {
        handle = new Handle(numbers[Native.HANDLE]);
        Texts texts = new Texts(bytes);
        status = (int) numbers[Native.STATUS];
        reason = texts.next();
        String address = texts.next();
        online = numbers[Native.IS_ONLINE] != 0 ? address : null;
        String path = texts.next();
        file = numbers[Native.BODY] == FILE ? path : null;
        offset = numbers[Native.OFFSET];
        length = numbers[Native.LENGTH];
        Map<String, String> headers = new LinkedHashMap<>();
        for (long count = numbers[Native.HEADER_COUNT]; count > 0; count--) headers.put(texts.next(), texts.next());
        this.headers = Collections.unmodifiableMap(headers);
    }

    /** The address to send the request to, with its method, headers and body; null if the device answers. */
    public String online() {
        return online;
    }

    /** Why, in one word, such as "installed", "rule" or "notInstalled" (docs/C-API.md). */
    public String reason() {
        return reason;
    }

    /** The status of HTTP; 0 with {@link #online}. The device answers with an error page where it has nothing to show. */
    public int status() {
        return status;
    }

    /** Names in lower case, in the order of the names. */
    public Map<String, String> headers() {
        return headers;
    }

    /** The number of bytes of the body. */
    public long length() {
        return length;
    }

    /** The file that has the body from {@link #offset} on, until the answer is closed; null if the body is in memory or there is none. */
    public String file() {
        return file;
    }

    public long offset() {
        return offset;
    }

    /** The body. Closing the stream closes the answer. */
    public InputStream body() {
        return new AnswerStream(this);
    }

    /** The whole body in memory. */
    public byte[] bytes() throws IOException {
        if (length > Integer.MAX_VALUE - 8) throw new IOException("the body has " + length + " bytes, too many for one array");
        byte[] all = new byte[(int) length];
        int count = 0;
        while (count < all.length) {
            int read = read(count, all, count, all.length - count);
            if (read < 0) throw new EOFException("the body ends after " + count + " of " + length + " bytes");
            count += read;
        }
        return all;
    }

    /**
     * Reads bytes of the body into a part of a buffer.
     *
     * @param position counted from the body's beginning
     * @return how many bytes were read; -1 at the end, and 0 only if none are wanted
     */
    public int read(long position, byte[] buffer, int offset, int length) throws PackHostException {
        Objects.requireNonNull(buffer, "buffer");
        if (position < 0) throw new IllegalArgumentException("position is " + position);
        if (offset < 0 || length < 0 || length > buffer.length - offset)
            throw new IndexOutOfBoundsException(length + " bytes from " + offset + " on, of " + buffer.length);
        long number = handle.get();
        if (length == 0) return 0;
        if (position >= this.length) return -1;
        int count = Native.read(number, position, buffer, offset, (int) Math.min(length, this.length - position));
        return count == 0 ? -1 : count;
    }

    boolean isClosed() {
        return handle.isClosed();
    }

    @Override
    public void close() {
        Native.free(handle.take());
    }

    /** Texts with a 0 behind each. */
    private static final class Texts {
        private final byte[] bytes;
        private int position;

        Texts(byte[] bytes) {
            this.bytes = bytes;
        }

        String next() {
            int start = position, end = start;
            while (end < bytes.length && bytes[end] != 0) end++;
            position = end + 1;
            return new String(bytes, start, end - start, StandardCharsets.UTF_8);
        }
    }
}
