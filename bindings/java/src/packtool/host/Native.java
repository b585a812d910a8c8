package packtool.host;

/**
 * The functions of libpackhost_jni. A text is UTF-8 in a byte[]; null where the library takes NULL. A handle of 0 is none.
 *
 * The library is found by {@link System#loadLibrary}, or at the path in the system property {@code packtool.host.library}.
 */
final class Native {
    /** The places in the numbers of an answer; packhost_jni_view.c has the same. */
    static final int HANDLE = 0, STATUS = 1, BODY = 2, OFFSET = 3, LENGTH = 4, IS_ONLINE = 5, HEADER_COUNT = 6, NUMBER_COUNT = 7;

    static {
        String path = System.getProperty("packtool.host.library");
        if (path == null) System.loadLibrary("packhost_jni");
        else System.load(path);
    }

    private Native() {}

    static native long open(byte[] settings) throws PackHostException;

    /** Returns the code, and throws nothing. */
    static native int close(long host, long milliseconds);

    /** Frees a view, an answer, a text or a canceller. */
    static native void free(long handle);

    static native void start(long host, long milliseconds, long canceller) throws PackHostException;

    static native void endSession(long host, long milliseconds, long canceller) throws PackHostException;

    static native void setNetwork(long host, int network) throws PackHostException;

    static native void setChannel(long host, byte[] channel) throws PackHostException;

    static native long newCanceller() throws PackHostException;

    static native void cancel(long canceller);

    static native byte[] check(long host, byte[] packages, long milliseconds, long canceller) throws PackHostException;

    static native byte[] update(long host, byte[] packages, UpdateListener listener, long milliseconds, long canceller)
            throws PackHostException;

    /** Called by {@link #update} on its thread. */
    private static boolean deliver(
            UpdateListener listener, int phase, byte[] packageName, byte[] version, long received, long expected) {
        return listener.onProgress(
                new UpdateProgress(UpdatePhase.of(phase), Text.of(packageName), Text.of(version), received, expected));
    }

    static native byte[] rollBack(long host, byte[] packageName, byte[] reason) throws PackHostException;

    static native void confirm(long host, byte[] packageName, byte[] version, byte[] token) throws PackHostException;

    static native byte[] status(long host) throws PackHostException;

    static native byte[] explain(long host, byte[] packages, int events) throws PackHostException;

    /** Returns the handle of a text, which {@link #text} reads and {@link #free} frees. */
    static native long folder(long host, byte[] packageName) throws PackHostException;

    static native byte[] text(long text);

    static native long newView(long host) throws PackHostException;

    static native void confirmView(long view) throws PackHostException;

    static native byte[] load(long view) throws PackHostException;

    /** Returns the texts of an answer and fills its numbers. */
    static native byte[] resolve(
            long view, byte[] texts, int headerCount, int kind, long milliseconds, long canceller, long[] numbers)
            throws PackHostException;

    /** Returns how many bytes were read; 0 is the end. The range has to be inside the buffer. */
    static native int read(long answer, long position, byte[] buffer, int offset, int length) throws PackHostException;
}
