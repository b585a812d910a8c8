package packtool.host;

/** How far a package is in an update. */
public final class UpdateProgress {
    private final UpdatePhase phase;
    private final String packageName;
    private final String version;
    private final long received;
    private final long expected;

    UpdateProgress(UpdatePhase phase, String packageName, String version, long received, long expected) {
        this.phase = phase;
        this.packageName = packageName;
        this.version = version;
        this.received = received;
        this.expected = expected;
    }

    public UpdatePhase phase() {
        return phase;
    }

    /** The package's id; null while the host is checking. */
    public String packageName() {
        return packageName;
    }

    /** The version that is being installed; null while the host is checking. */
    public String version() {
        return version;
    }

    /** The bytes that came. */
    public long received() {
        return received;
    }

    /** The bytes that the server announced; -1 while it has not. */
    public long expected() {
        return expected;
    }

    @Override
    public String toString() {
        return packageName == null ? phase.toString() : phase + " " + packageName + " " + version + ": " + received + " of " + expected;
    }
}
