package packtool.host;

/**
 * The folder of a version's files. It stays on the device as it is until this is closed, also if updates come or the host is closed
 * before. Only read it. Every method may be called from any thread.
 */
public final class PackFolder implements AutoCloseable {
    private final Handle handle;
    private final String path;

    PackFolder(long handle) {
        this.handle = new Handle(handle);
        path = Text.of(Native.text(handle));
    }

    /** Without a slash at the end. */
    public String path() {
        return path;
    }

    /** Lets the version go: a later update may remove the folder. */
    @Override
    public void close() {
        Native.free(handle.take());
    }
}
