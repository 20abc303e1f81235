package org.torchnnapi.kernels.internal.natives;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.torchnnapi.kernels.Kernels;

class NativeMemoryTest {
    /** Of one page of a processor and of several, of pieces of a chunk and of more than one. */
    private static final int[] SIZES = {0, 1, 100, 16 * 1024, 100_001, 3 << 20, 9 << 20, 20_000_001};

    private static void assumeNative() {
        String kernels = Kernels.describe().get(0);
        assumeTrue(kernels.startsWith("float kernels: native"), kernels);
    }

    private static boolean fits(ByteBuffer bytes, byte value) {
        ByteBuffer expected = ByteBuffer.allocate(bytes.capacity());
        Arrays.fill(expected.array(), value);
        return bytes.equals(expected);
    }

    @Test
    void lastingMemoryIsZeroAndEachPieceIsItsOwn() {
        assumeNative();
        List<NativeMemory> pieces = new ArrayList<>();
        for (int round = 0; round < 2; round++) {
            for (int size : SIZES) {
                NativeMemory piece = NativeMemory.lasting(size);
                assertEquals(size, piece.size());
                assertEquals(0, NativeMemory.address(piece) % 64);
                assertTrue(fits(piece.bytes(), (byte) 0), size + " bytes");
                byte[] mark = new byte[size];
                Arrays.fill(mark, (byte) (pieces.size() + 1));
                piece.bytes().duplicate().put(mark);
                pieces.add(piece);
            }
            // What is still referred to stays when the rest is given back.
            if (round == 0) {
                for (int i = 0; i < SIZES.length; i += 2) {
                    pieces.set(i, null);
                }
                System.gc();
            }
        }
        for (int i = 0; i < pieces.size(); i++) {
            assertTrue(pieces.get(i) == null || fits(pieces.get(i).bytes(), (byte) (i + 1)), "piece " + i);
        }
    }

    @Test
    void copiesHoldTheirValues() {
        assumeNative();
        float[] values = new float[10_000];
        for (int i = 0; i < values.length; i++) {
            values[i] = i;
        }
        float[] copied = new float[values.length];
        NativeMemory.copyOf(values).bytes().asFloatBuffer().get(copied);
        assertArrayEquals(values, copied);
    }
}
