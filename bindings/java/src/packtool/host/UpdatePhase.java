package packtool.host;

/** What an update does at the moment. */
public enum UpdatePhase {
    /** The host looks for what the channel offers. There is no package and no version yet. */
    CHECKING,
    DOWNLOADING,
    /** Everything came; it is verified and unpacked. */
    UNPACKING,
    INSTALLING,
    /** A phase of a newer library. */
    OTHER;

    static UpdatePhase of(int number) {
        return number >= 0 && number < OTHER.ordinal() ? values()[number] : OTHER;
    }
}
