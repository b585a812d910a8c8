package packtool.host;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Objects;

/** Texts on their way to libpackhost and back, in UTF-8. The native library puts a 0 behind each. */
final class Text {
    private Text() {}

    /**
     * @throws NullPointerException if the value is null
     * @throws IllegalArgumentException if the value has a character that no text of C can have: U+0000, or half of a surrogate pair
     */
    static byte[] required(String name, String value) {
        Objects.requireNonNull(value, name);
        for (int index = 0; index < value.length(); index++) {
            char letter = value.charAt(index);
            if (letter == 0) throw new IllegalArgumentException(name + " has the character U+0000");
            if (!Character.isSurrogate(letter)) continue;
            boolean isPair = index + 1 < value.length() && Character.isSurrogatePair(letter, value.charAt(index + 1));
            if (!isPair) throw new IllegalArgumentException(name + " has half of a surrogate pair");
            index++;
        }
        return value.getBytes(StandardCharsets.UTF_8);
    }

    static byte[] optional(String name, String value) {
        return value == null ? null : required(name, value);
    }

    /** Adds a value and a 0. */
    static void add(ByteArrayOutputStream bytes, String name, String value) {
        byte[] text = required(name, value);
        bytes.write(text, 0, text.length);
        bytes.write(0);
    }

    static String of(byte[] bytes) {
        return bytes == null ? null : new String(bytes, StandardCharsets.UTF_8);
    }
}
