package packtool.host;

import java.io.IOException;
import java.io.InputStream;
import java.util.Objects;

/** The body of an answer as a stream. Small reads come from a buffer, since each call of the library opens the file. */
final class AnswerStream extends InputStream {
    private static final int BUFFER_SIZE = 64 * 1024;

    private final PackAnswer answer;
    /** Of the byte that is read next. */
    private long position;
    private byte[] buffer = new byte[0];
    /** The bytes of the buffer that were not read yet. */
    private int start, end;

    AnswerStream(PackAnswer answer) {
        this.answer = answer;
    }

    @Override
    public synchronized int read() throws IOException {
        if (start == end && !fill()) return -1;
        if (answer.isClosed()) throw PackHostException.closed();
        position++;
        return buffer[start++] & 0xff;
    }

    @Override
    public synchronized int read(byte[] bytes, int offset, int length) throws IOException {
        Objects.requireNonNull(bytes, "bytes");
        if (start == end) {
            // Also what checks the range, and whether the answer is open.
            if (length >= BUFFER_SIZE || length <= 0 || offset < 0 || length > bytes.length - offset) {
                int count = answer.read(position, bytes, offset, length);
                if (count > 0) position += count;
                return count;
            }
            if (!fill()) return -1;
        }
        if (offset < 0 || length < 0 || length > bytes.length - offset)
            throw new IndexOutOfBoundsException(length + " bytes from " + offset + " on, of " + bytes.length);
        if (answer.isClosed()) throw PackHostException.closed();
        int count = Math.min(length, end - start);
        System.arraycopy(buffer, start, bytes, offset, count);
        start += count;
        position += count;
        return count;
    }

    @Override
    public synchronized long skip(long count) {
        long skipped = Math.max(0, Math.min(count, answer.length() - position));
        position += skipped;
        start = (int) Math.min(end, start + skipped);
        return skipped;
    }

    @Override
    public synchronized int available() {
        return answer.isClosed() ? 0 : (int) Math.min(Integer.MAX_VALUE, answer.length() - position);
    }

    @Override
    public void close() {
        answer.close();
    }

    private boolean fill() throws IOException {
        if (buffer.length == 0) buffer = new byte[(int) Math.max(1, Math.min(BUFFER_SIZE, answer.length() - position))];
        int count = answer.read(position, buffer, 0, buffer.length);
        start = 0;
        end = Math.max(0, count);
        return count > 0;
    }
}
