package packtool.host;

/** Why a call failed: the codes of packhost.h. */
public enum ErrorCode {
    /** Anything else, and every code of a newer library. */
    FAILED(1),
    /** A value that the library does not accept, such as an unknown setting. */
    WRONG_ARGUMENT(3),
    /** The host, view, answer or canceller was closed, before or during the call. */
    CLOSED(4),
    CANCELLED(5),
    TIMED_OUT(6),
    /** The registry cannot be reached now; another try may succeed. */
    UNREACHABLE(7),
    /** The registry has too much to do; try again later. */
    OVERLOADED(8),
    /** Another update of the same store takes longer than the setting {@code patience}; try again. */
    BUSY(9),
    /** Metadata or content that is not signed as it must be, is expired or damaged, or there is no root to trust. */
    NOT_TRUSTED(10),
    /** There is no such channel, package, version or file, or no version to go back to. */
    NOT_FOUND(11),
    /** A rule forbids it: another version or load than the one confirmed, or a version that this app cannot run. */
    REFUSED(12),
    DISK_FULL(13),
    /** The store cannot be read or written, is damaged, or was written by a newer program. */
    STORE_FAILED(14);

    /** PACKHOST_WRONG_HANDLE. Java keeps the handles, so theirs is always one that was closed. */
    static final int WRONG_HANDLE = 2;

    private final int number;

    ErrorCode(int number) {
        this.number = number;
    }

    /** The number in packhost.h. */
    public int number() {
        return number;
    }

    static ErrorCode of(int number) {
        if (number == WRONG_HANDLE) return CLOSED;
        for (ErrorCode code : values()) if (code.number == number) return code;
        return FAILED;
    }
}
