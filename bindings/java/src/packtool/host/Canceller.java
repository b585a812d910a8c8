package packtool.host;

/**
 * Ends calls before their work does. Any number of calls, at the same time and one after the other, may be given the same one. Every
 * method may be called from any thread.
 */
public final class Canceller implements AutoCloseable {
    private final Handle handle;

    public Canceller() throws PackHostException {
        handle = new Handle(Native.newCanceller());
    }

    /** Makes every call that has this canceller throw {@link ErrorCode#CANCELLED}, now and later. Does nothing once it is closed. */
    public void cancel() {
        try {
            Native.cancel(handle.get());
        } catch (PackHostException closed) {
            return;
        }
    }

    /** Lets go of it. Calls that have it go on. */
    @Override
    public void close() {
        Native.free(handle.take());
    }

    /** 0 for null. */
    static long handle(Canceller canceller) throws PackHostException {
        return canceller == null ? 0 : canceller.handle.get();
    }
}
