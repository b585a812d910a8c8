package packtool.host;

import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** A call that failed, with its code and a sentence for a person. */
public final class PackHostException extends IOException {
    private static final long serialVersionUID = 1;

    private final ErrorCode code;

    PackHostException(ErrorCode code, String message) {
        super(message);
        this.code = code;
    }

    /** Called by the native library. */
    PackHostException(int number, byte[] message) {
        this(ErrorCode.of(number), sentence(number, message));
    }

    static PackHostException closed() {
        return new PackHostException(ErrorCode.WRONG_HANDLE, new byte[0]);
    }

    public ErrorCode code() {
        return code;
    }

    private static String sentence(int number, byte[] message) {
        if (number == ErrorCode.WRONG_HANDLE) return "it was closed";
        return new String(message, StandardCharsets.UTF_8);
    }
}
