package org.torchnnapi.kernels;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import java.util.Random;
import org.junit.jupiter.api.Test;

class ByteEpilogueTest {
    @Test
    void bytesThatFollowEachOtherAreOneRow() {
        Random random = new Random(5);
        byte[] table = Twins.randomBytes(random, 256);
        byte[] bytes = Twins.randomBytes(random, 90);
        byte[] expected = bytes.clone();
        for (int i = 3; i < 83; i++) {
            expected[i] = table[bytes[i] & 0xff];
        }
        ByteEpilogue epilogue = new ByteTable(table);
        epilogue.finish(null, 0, bytes, 3, 80);
        assertArrayEquals(expected, bytes);
    }
}
