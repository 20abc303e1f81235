package org.torchnnapi.torchscript.format;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/** Strict UTF-8, at the speed of the JVM's lenient decoder, which is compiled code from the start. */
public final class Utf8 {
    private static final char REPLACEMENT = '\uFFFD';

    private Utf8() {}

    /**
     * The text of a buffer's remaining bytes; its position stays.
     *
     * @throws CharacterCodingException if they are not UTF-8
     */
    public static String decode(ByteBuffer bytes) throws CharacterCodingException {
        byte[] copy = new byte[bytes.remaining()];
        bytes.duplicate().get(copy);
        return decode(copy, 0, copy.length);
    }

    /**
     * The text of {@code length} bytes of an array.
     *
     * @throws CharacterCodingException if they are not UTF-8
     */
    public static String decode(byte[] bytes, int offset, int length) throws CharacterCodingException {
        String text = new String(bytes, offset, length, StandardCharsets.UTF_8);
        // The lenient decoder puts this character where bytes are malformed; it may also be in the text itself.
        return text.indexOf(REPLACEMENT) < 0
                ? text
                : StandardCharsets.UTF_8
                        .newDecoder()
                        .decode(ByteBuffer.wrap(bytes, offset, length))
                        .toString();
    }
}
