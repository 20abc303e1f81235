package org.torchnnapi.nnapi.driver;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.torchnnapi.nnapi.model.NnapiException;
import org.torchnnapi.nnapi.model.ResultCode;

class CacheFilesTest {
    private static Map<String, byte[]> files() {
        Map<String, byte[]> files = new LinkedHashMap<>();
        files.put("0a1", new byte[] {1, 2, 3});
        files.put("ünter", new byte[0]);
        files.put("data.2", new byte[300]);
        return files;
    }

    private static String refusal(byte[] data) {
        NnapiException e = assertThrows(NnapiException.class, () -> CacheFiles.unpack(data));
        assertEquals(ResultCode.BAD_DATA, e.resultCode());
        return e.getMessage();
    }

    @Test
    void filesComeBackInTheirOrder() {
        Map<String, byte[]> back = CacheFiles.unpack(CacheFiles.pack(files()));
        assertEquals(List.copyOf(files().keySet()), List.copyOf(back.keySet()));
        files().forEach((name, content) -> assertArrayEquals(content, back.get(name)));
        assertEquals(Map.of(), CacheFiles.unpack(CacheFiles.pack(Map.of())));
    }

    @Test
    void cutAndLengthenedDataAreRefused() {
        byte[] whole = CacheFiles.pack(files());
        for (int length = 0; length < whole.length; length++) {
            assertTrue(refusal(Arrays.copyOf(whole, length)).contains("which end within a file"), "length " + length);
        }
        assertEquals(
                "cache data: 1 bytes behind the last file (expected: none)",
                refusal(Arrays.copyOf(whole, whole.length + 1)));
        assertEquals(
                "cache data: 20 bytes of something else (expected: those of cache files)",
                refusal("neither this or that".getBytes(StandardCharsets.US_ASCII)));
    }

    /** Whatever the bytes, the answer is files or a refusal, and never takes more memory than there are bytes. */
    @Test
    void damagedDataAreFilesOrRefused() {
        byte[] whole = CacheFiles.pack(files());
        Random random = new Random(5);
        int refused = 0;
        for (int i = 0; i < 20_000; i++) {
            byte[] damaged = whole.clone();
            for (int k = random.nextInt(4); k >= 0; k--) {
                damaged[random.nextInt(60)] = (byte) random.nextInt(256);
            }
            try {
                CacheFiles.unpack(damaged);
            } catch (NnapiException e) {
                refused++;
            }
        }
        assertTrue(refused > 10_000, refused + " refused");
        ByteBuffer huge = ByteBuffer.wrap(whole.clone()).order(ByteOrder.LITTLE_ENDIAN);
        refusal(huge.putInt(8, Integer.MAX_VALUE).array());
        assertEquals(
                "cache data: -1 files (expected: 0 to 64)",
                refusal(huge.putInt(4, -1).array()));
    }

    @Test
    void namesLeadToNoOtherFolder() {
        for (String name :
                List.of("", ".", "..", "../ab", "/etc/ab", "a/b", "a\\b", "c:ab", "a\0b", "a\nb", "n".repeat(256))) {
            assertThrows(NnapiException.class, () -> CacheFiles.pack(Map.of(name, new byte[1])), name);
            byte[] text = name.getBytes(StandardCharsets.UTF_8);
            byte[] stand = CacheFiles.pack(Map.of("s".repeat(Math.min(255, Math.max(1, text.length))), new byte[1]));
            ByteBuffer data = ByteBuffer.allocate(16 + text.length + 1)
                    .order(ByteOrder.LITTLE_ENDIAN)
                    .put(stand, 0, 8);
            data.putInt(text.length).put(text).putInt(1).put((byte) 1);
            assertTrue(refusal(data.array()).contains("(expected: the name of a file in a folder)"), name);
        }
    }

    @Test
    void eachNameIsOneFile() {
        byte[] two = CacheFiles.pack(new LinkedHashMap<>(Map.of("a", new byte[0], "b", new byte[0])));
        for (int i = 0; i < two.length; i++) {
            two[i] = two[i] == 'b' ? (byte) 'a' : two[i];
        }
        assertEquals("cache data: two files a (expected: names of their own)", refusal(two));
    }
}
