package org.torchnnapi.torchscript.format;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class Utf8Test {
    private static String decode(int... bytes) throws CharacterCodingException {
        ByteBuffer buffer = ByteBuffer.allocateDirect(bytes.length + 2);
        for (int i = 0; i < bytes.length; i++) {
            buffer.put(i + 1, (byte) bytes[i]);
        }
        ByteBuffer middle = buffer.position(1).limit(bytes.length + 1);
        String text = Utf8.decode(middle);
        assertEquals(1, middle.position());
        return text;
    }

    @Test
    void decodesWhatIsUtf8() throws CharacterCodingException {
        assertEquals("", decode());
        assertEquals("weight", decode('w', 'e', 'i', 'g', 'h', 't'));
        for (String text : new String[] {"\u00e9\u4e2d\ud83d\ude00", "a\uFFFDb"}) {
            assertEquals(text, Utf8.decode(ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8))));
        }
    }

    @Test
    void refusesWhatIsNot() {
        assertThrows(CharacterCodingException.class, () -> decode('a', 0x80));
        assertThrows(CharacterCodingException.class, () -> decode(0xC0, 0xAF));
        assertThrows(CharacterCodingException.class, () -> decode(0xED, 0xA0, 0x80));
        assertThrows(CharacterCodingException.class, () -> decode(0xE4, 0xB8));
    }
}
