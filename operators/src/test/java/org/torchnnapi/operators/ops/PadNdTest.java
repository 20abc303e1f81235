package org.torchnnapi.operators.ops;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.torchnnapi.operators.ops.Op.counted;
import static org.torchnnapi.operators.ops.Op.expect;
import static org.torchnnapi.operators.ops.Op.floats;
import static org.torchnnapi.operators.ops.Op.ints;
import static org.torchnnapi.operators.ops.Op.sizes;
import static org.torchnnapi.operators.ops.Op.tensor;

import org.junit.jupiter.api.Test;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.MemoryException;
import org.torchnnapi.tensor.Tensor;

/** Padding. Expected values are genuine PyTorch's. */
class PadNdTest {
    private static final Tensor X = floats(sizes(2, 3), -2.5, -1, 0, 0.5, 1.5, 3);

    @Test
    void wholeNumbersArePaddedByWholeNumbersOfTheirType() {
        Tensor bytes = Tensor.of(DType.UINT8, new byte[] {3, (byte) 200}, 2);
        expect(tensor("constant_pad_nd", bytes, ints(1, 0), -1L), sizes(3), 255, 3, 200);
        expect(tensor("pad", Tensor.of(new long[] {7}, 1), ints(1, 0), "constant", 1.5), sizes(2), 1, 7);
        Tensor large = tensor("constant_pad_nd", Tensor.of(new long[] {7}, 1), ints(1, 0), (1L << 53) + 1);
        assertEquals((1L << 53) + 1, large.getLong(0));
        for (Object number : new Object[] {-1.0, 256L}) {
            IllegalArgumentException refused = assertThrows(
                    IllegalArgumentException.class, () -> tensor("constant_pad_nd", bytes, ints(1, 0), number));
            assertEquals("value cannot be converted to type uint8_t without overflow: " + number, refused.getMessage());
        }
    }

    @Test
    void pads() {
        expect(
                tensor("constant_pad_nd", X, ints(1, 2, 0, 1), 0.5),
                sizes(3, 6),
                0.5,
                -2.5,
                -1,
                0,
                0.5,
                0.5,
                0.5,
                0.5,
                1.5,
                3,
                0.5,
                0.5,
                0.5,
                0.5,
                0.5,
                0.5,
                0.5,
                0.5);
        expect(tensor("constant_pad_nd", X, ints(-1, 1), 0.0), sizes(2, 3), -1, 0, 0, 1.5, 3, 0);
        expect(
                tensor("pad", floats(sizes(1, 2, 3), -2.5, -1, 0, 0.5, 1.5, 3), ints(2, 1), "reflect", null),
                sizes(1, 2, 6),
                0,
                -1,
                -2.5,
                -1,
                0,
                -1,
                3,
                1.5,
                0.5,
                1.5,
                3,
                1.5);
        expect(
                tensor("pad", floats(sizes(1, 2, 3), -2.5, -1, 0, 0.5, 1.5, 3), ints(1, 2), "replicate", null),
                sizes(1, 2, 6),
                -2.5,
                -2.5,
                -1,
                0,
                0,
                0,
                0.5,
                0.5,
                1.5,
                3,
                3,
                3);
        expect(
                tensor("pad", floats(sizes(1, 2, 3), -2.5, -1, 0, 0.5, 1.5, 3), ints(1, 1), "circular", null),
                sizes(1, 2, 5),
                0,
                -2.5,
                -1,
                0,
                -2.5,
                3,
                0.5,
                1.5,
                3,
                0.5);
    }

    @Test
    void refusesPaddingBeyondTheTensor() {
        assertThrows(IllegalArgumentException.class, () -> tensor("pad", X, ints(3, 0), "reflect", null));
        assertThrows(IllegalArgumentException.class, () -> tensor("constant_pad_nd", X, ints(-2, -2), 0.0));
    }

    @Test
    void circularPaddingGoesAroundWhatNegativePaddingLeaves() {
        Tensor t = counted(1, 2, 4);
        expect(tensor("pad", t, ints(-1, 2), "circular"), sizes(1, 2, 5), 1, 2, 3, 1, 2, 5, 6, 7, 5, 6);
    }

    /**
     * Each either pads, as an oracle that asks every element where it comes from has it, or is refused for its sizes.
     */
    @Test
    void everyAmountPadsOrIsRefused() {
        long[] amounts = {0, 1, -1, 2, -2, -3, 5, -7, 1 << 20, -(1 << 30), Integer.MAX_VALUE, Integer.MIN_VALUE};
        for (long left : amounts) {
            for (long right : amounts) {
                for (long above : amounts) {
                    for (double value : new double[] {0, 0.5}) {
                        padsOrIsRefused(left, right, above, value);
                    }
                }
            }
        }
    }

    private static void padsOrIsRefused(long left, long right, long above, double value) {
        long width = 3 + left + right;
        long height = 2 + above;
        // PyTorch refuses to cut more than there is, even where the other side adds it again.
        boolean sound = 3 + Math.min(left, 0) + Math.min(right, 0) >= 0 && 2 + Math.min(above, 0) >= 0;
        if (!sound || width * height > 1 << 24 || Math.max(width, height) > Integer.MAX_VALUE) {
            RuntimeException e = assertThrows(
                    RuntimeException.class, () -> tensor("constant_pad_nd", X, ints(left, right, above, 0), value));
            assertTrue(e instanceof MemoryException || e instanceof IllegalArgumentException, e.toString());
            return;
        }
        Tensor padded = tensor("constant_pad_nd", X, ints(left, right, above, 0), value);
        assertArrayEquals(sizes((int) height, (int) width), padded.sizes());
        for (long i = 0; i < width * height; i += width > 1000 || height > 1000 ? 997 : 1) {
            long y = i / width - above;
            long x = i % width - left;
            double expected = y >= 0 && y < 2 && x >= 0 && x < 3 ? X.getDouble(y * 3 + x) : value;
            assertEquals(expected, padded.getDouble(i), () -> left + " " + right + " " + above);
        }
    }
}
