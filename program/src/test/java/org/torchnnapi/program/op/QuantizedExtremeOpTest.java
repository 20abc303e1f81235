package org.torchnnapi.program.op;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.torchnnapi.program.ByteQuantization;
import org.torchnnapi.program.ValueType;

class QuantizedExtremeOpTest {
    /** Shapes, and what is reduced of each. */
    private static final int[][][] CASES = {
        {{1}, {0}},
        {{5, 33}, {0}},
        {{5, 33}, {-1}},
        {{2, 3, 4, 17}, {1, 2}},
        {{2, 3, 4, 5}, {0, 1, 2, 3}},
        {{4, 3, 2}, {1, 1}}
    };

    private final Random random = new Random(4);

    @Test
    void findsTheLargestAndTheSmallest() {
        for (ByteQuantization quantization : ByteOps.QUANTIZATIONS) {
            for (int[][] one : CASES) {
                ValueType type = ValueType.bytes(quantization, one[0]);
                byte[] in = ByteOps.random(random, type);
                for (boolean largest : new boolean[] {false, true}) {
                    assertArrayEquals(
                            plain(type, in, one[1], largest),
                            ByteOps.run(new QuantizedExtremeOp(largest, one[1], false), type, in),
                            () -> type + " largest " + largest);
                }
            }
        }
    }

    private static byte[] plain(ValueType type, byte[] in, int[] axes, boolean largest) {
        ReducedAxes extents = ReducedAxes.of(type, axes);
        byte[] out = new byte[extents.outer() * extents.inner()];
        for (int at = 0; at < out.length; at++) {
            int found = largest ? Integer.MIN_VALUE : Integer.MAX_VALUE;
            for (int k = 0; k < extents.reduced(); k++) {
                byte element =
                        in[(at / extents.inner() * extents.reduced() + k) * extents.inner() + at % extents.inner()];
                int value = type.element().isSigned() ? element : element & 0xff;
                found = largest ? Math.max(found, value) : Math.min(found, value);
            }
            out[at] = (byte) found;
        }
        return out;
    }

    @Test
    void keepsTheAxesWhereAskedAndWantsThemAdjacent() {
        ValueType type = ValueType.bytes(ByteOps.QUANTIZATIONS[0], 2, 3, 4);
        assertEquals(type.withShape(2, 1, 4), new QuantizedExtremeOp(true, new int[] {1}, true).result(List.of(type)));
        assertEquals(type.withShape(2, 4), new QuantizedExtremeOp(true, new int[] {1}, false).result(List.of(type)));
        assertThrows(
                IllegalArgumentException.class,
                () -> new QuantizedExtremeOp(true, new int[] {0, 2}, true).result(List.of(type)));
        assertThrows(
                IllegalArgumentException.class,
                () -> new QuantizedExtremeOp(true, new int[] {0}, true).result(List.of(ValueType.floats(3))));
    }
}
