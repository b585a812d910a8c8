package packtool.host;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Objects;

/** Texts on their way to libpackhost and back, in UTF-8. */
final class Text {
    private Text() {}

    /**
     * @throws NullPointerException if the value is null
     * @throws IllegalArgumentException if the value has a character that no text of C can have: U+0000, or half of a surrogate pair
     */
    static byte[] required(String name, String value) {
        ByteBuffer encoded = encoded(name, value);
        // The native library puts the 0 behind it.
        return Arrays.copyOf(encoded.array(), encoded.remaining());
    }

    static byte[] optional(String name, String value) {
        return value == null ? null : required(name, value);
    }

    /** Adds a value and a 0. */
    static void add(ByteArrayOutputStream bytes, String name, String value) {
        ByteBuffer encoded = encoded(name, value);
        bytes.write(encoded.array(), 0, encoded.remaining());
        bytes.write(0);
    }

    private static ByteBuffer encoded(String name, String value) {
        Objects.requireNonNull(value, name);
        if (value.indexOf('\0') >= 0) throw new IllegalArgumentException(name + " has the character U+0000");
        try {
            return StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(value));
        } catch (CharacterCodingException error) {
            throw new IllegalArgumentException(name + " has half of a surrogate pair");
        }
    }

    static String of(byte[] bytes) {
        return bytes == null ? null : new String(bytes, StandardCharsets.UTF_8);
    }
}
