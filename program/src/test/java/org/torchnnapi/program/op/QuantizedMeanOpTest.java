package org.torchnnapi.program.op;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.torchnnapi.kernels.Rounding;
import org.torchnnapi.program.ByteQuantization;
import org.torchnnapi.program.ValueType;

class QuantizedMeanOpTest {
    /** Shapes, and what is reduced of each: rows of elements, and rows of channels. */
    private static final int[][][] CASES = {
        {{1}, {0}},
        {{4, 33}, {-1}},
        {{7, 33}, {0}},
        {{2, 3, 4, 37}, {1, 2}},
        {{2, 19, 5, 6}, {2, 3}},
        {{2, 3, 4, 5}, {0, 1, 2, 3}},
        {{3, 2, 70}, {1}},
        {{2, 50, 700}, {1}}
    };

    private final Random random = new Random(6);

    @Test
    void roundsTheMeanDistanceFromTheZeroPoint() {
        for (ByteQuantization quantization : ByteOps.QUANTIZATIONS) {
            for (int[][] one : CASES) {
                for (Rounding rounding : Rounding.values()) {
                    ValueType type = ValueType.bytes(quantization, one[0]);
                    byte[] in = ByteOps.random(random, type);
                    assertArrayEquals(
                            plain(type, in, one[1], rounding),
                            ByteOps.run(new QuantizedMeanOp(one[1], false, rounding), type, in),
                            () -> type + " " + rounding);
                }
            }
        }
    }

    private static byte[] plain(ValueType type, byte[] in, int[] axes, Rounding rounding) {
        ReducedAxes extents = ReducedAxes.of(type, axes);
        byte[] out = new byte[extents.outer() * extents.inner()];
        for (int at = 0; at < out.length; at++) {
            double sum = 0;
            for (int k = 0; k < extents.reduced(); k++) {
                byte element =
                        in[(at / extents.inner() * extents.reduced() + k) * extents.inner() + at % extents.inner()];
                sum += (type.element().isSigned() ? element : element & 0xff) - type.zeroPoint();
            }
            out[at] = (byte) (rounding.round(sum / extents.reduced()) + type.zeroPoint());
        }
        return out;
    }

    @Test
    void keepsTheAxesWhereAskedAndTypeAlways() {
        ValueType type = ValueType.bytes(ByteOps.QUANTIZATIONS[0], 2, 3, 4);
        assertEquals(
                type.withShape(2, 1, 4),
                new QuantizedMeanOp(new int[] {1}, true, Rounding.HALF_EVEN).result(List.of(type)));
        assertEquals(
                type.withShape(2, 4),
                new QuantizedMeanOp(new int[] {-2}, false, Rounding.HALF_EVEN).result(List.of(type)));
    }

    @Test
    void sumsThatNoIntHoldsAreRefused() {
        ValueType type = ValueType.bytes(ByteOps.QUANTIZATIONS[0], 1 << 12, (1 << 10) + 1);
        IllegalArgumentException e = assertThrows(
                IllegalArgumentException.class,
                () -> new QuantizedMeanOp(new int[] {0, 1}, false, Rounding.HALF_EVEN).result(List.of(type)));
        assertEquals("reduced: 4198400 elements (expected: <= 4194304)", e.getMessage());
    }
}
