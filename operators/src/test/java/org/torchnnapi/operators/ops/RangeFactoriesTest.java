package org.torchnnapi.operators.ops;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.torchnnapi.operators.ops.Op.expect;
import static org.torchnnapi.operators.ops.Op.sizes;
import static org.torchnnapi.operators.ops.Op.tensor;

import org.junit.jupiter.api.Test;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.MemoryException;

/** Expected values are genuine PyTorch's. */
class RangeFactoriesTest {
    @Test
    void rangesAndSpaces() {
        expect(tensor("arange", 3L), sizes(3), 0, 1, 2);
        assertEquals(DType.INT64, tensor("arange", 3L).dtype());
        expect(tensor("arange.start_step", 0.5, 2L, 0.5), sizes(3), 0.5, 1, 1.5);
        expect(tensor("arange.start_step", 5L, 0L, -2L), sizes(3), 5, 3, 1);
        expect(tensor("tril_indices", 3L, 3L, -1L), sizes(2, 3), 1, 2, 2, 0, 0, 1);
        expect(tensor("triu_indices", 2L, 3L, 1L), sizes(2, 3), 0, 0, 1, 1, 2, 2);
        expect(tensor("tril_indices", 2L, 3L, 1L), sizes(2, 5), 0, 0, 1, 1, 1, 0, 1, 0, 1, 2);
        expect(tensor("triu_indices", 3L, 2L, -1L), sizes(2, 5), 0, 0, 1, 1, 2, 0, 1, 0, 1, 1);
        expect(tensor("tril_indices", 2L, 2L, -5L), sizes(2, 0));
        expect(tensor("triu_indices", 2_000_000_000L, 2L, 0L), sizes(2, 3), 0, 0, 1, 0, 1, 1);
        expect(tensor("tril_indices", 2_000_000_000L, 2L, -1_999_999_999L), sizes(2, 1), 1_999_999_999, 0);
        assertThrows(MemoryException.class, () -> tensor("tril_indices", 2_000_000_000L, 2_000_000_000L, 0L));
        assertThrows(MemoryException.class, () -> tensor("triu_indices", 2_000_000_000L, 2_000_000_000L, 0L));
        expect(tensor("linspace", 0L, 1L, 4L), sizes(4), 0, 0.33333334, 0.6666667, 1);
        expect(tensor("logspace", 0L, 2L, 3L, 10.0), sizes(3), 1, 10, 100);
    }

    @Test
    void impossibleRangesAreRefused() {
        assertThrows(IllegalArgumentException.class, () -> tensor("arange.start_step", 0L, 1L, 0L));
        assertThrows(IllegalArgumentException.class, () -> tensor("arange.start", 2L, 1L));
        assertThrows(IllegalArgumentException.class, () -> tensor("arange", Double.NaN));
        assertThrows(IllegalArgumentException.class, () -> tensor("arange", 1e18));
        assertThrows(IllegalArgumentException.class, () -> tensor("linspace", 0L, 1L, -1L));
    }

    @Test
    void wholeNumbersOf64BitsCountInWholeSteps() {
        Op.expect(
                Op.tensor("arange.start_step", 1.5, 4.9, 1L, 4L, null, null, null), DType.INT64, Op.sizes(3), 1, 2, 3);
        Op.expect(
                Op.tensor("arange.start_step", 1.5, 4.9, 1L, 3L, null, null, null),
                DType.INT32,
                Op.sizes(4),
                1,
                2,
                3,
                4);
    }

    /** Vectors of four begin at a whole number, two at a time; what is left over is computed one by one. */
    @Test
    void linesOfWholeNumbersRoundByVectors() {
        expect(
                tensor("linspace", -5L, 5L, 18L, 4L, null, null, null),
                DType.INT64,
                sizes(18),
                -5,
                -4,
                -3,
                -3,
                -2,
                -1,
                0,
                0,
                0,
                0,
                1,
                1,
                2,
                2,
                3,
                3,
                4,
                5);
    }

    @Test
    void narrowWholeNumbersStepByWholeNumbers() {
        expect(tensor("arange.start_step", 0.1, -7.9, -4.0, 2L, null, null, null), DType.INT16, sizes(2), 0, -4);
        expect(tensor("arange.start_step", 0L, 7L, 2.5, 2L, null, null, null), DType.INT16, sizes(3), 0, 2, 4);
        assertThrows(
                IllegalArgumentException.class, () -> tensor("arange.start_step", 0L, 7L, 0.5, 2L, null, null, null));
    }

    /** Expected numbers are genuine PyTorch's. */
    @Test
    void powersRunBetweenEndsOfTheirType() {
        long int32 = DType.INT32.code();
        expect(tensor("logspace", 1L, 4.3, 6L, 10.0, int32), DType.INT32, sizes(6), 10, 39, 158, 630, 2511, 10000);
        expect(tensor("logspace", -2.7, 2.7, 4L, 10.0, int32), DType.INT32, sizes(4), 0, 0, 4, 100);
        expect(
                tensor("logspace", 4.3, -3L, 4L, 10.0, (long) DType.BFLOAT16.code()),
                DType.BFLOAT16,
                sizes(4),
                20480,
                75,
                0.2734375,
                0.00099945068359375);
    }
}
