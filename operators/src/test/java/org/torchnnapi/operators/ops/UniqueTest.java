package org.torchnnapi.operators.ops;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.torchnnapi.operators.ops.Op.expect;
import static org.torchnnapi.operators.ops.Op.longs;
import static org.torchnnapi.operators.ops.Op.sizes;
import static org.torchnnapi.operators.ops.Op.tensor;
import static org.torchnnapi.operators.ops.Op.tensors;
import static org.torchnnapi.operators.ops.Op.vector;

import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.torchnnapi.operators.support.Elements;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;

/** Expected values are genuine PyTorch's. */
class UniqueTest {
    /** Whole numbers that real ones of 64 bits do not tell apart. */
    @Test
    void allBitsOfWholeNumbersCount() {
        long even = 1L << 53;
        Tensor x = Op.longs(even + 1, even, even + 1);
        assertArrayEquals(new long[] {even, even + 1}, Elements.longs((Tensor)
                ((Object[]) Op.call("_unique2", x, true, false, false))[0]));
        assertArrayEquals(
                new long[] {0, 1, 0}, Elements.longs(Op.tensor("isin.Tensor_Tensor", x, Op.longs(even), false, false)));
        assertArrayEquals(
                new long[] {1, 0, 1},
                Elements.longs(Op.tensor("bucketize.Tensor", x, Op.longs(even, even + 1), false, false)));
        Object[] most = (Object[]) Op.call("cummax", Op.longs(even, even + 1, even), 0L);
        assertArrayEquals(new long[] {even, even + 1, even + 1}, Elements.longs((Tensor) most[0]));
        assertArrayEquals(new long[] {0, 1, 1}, Elements.longs((Tensor) most[1]));
        Tensor sum = Op.tensor("scatter_reduce.two", x, 0L, Op.longs(1, 1, 1), x, "sum", false);
        assertArrayEquals(new long[] {even + 1, 3 * even + 2, even + 1}, Elements.longs(sum));
        assertArrayEquals(
                new long[] {even + 1, even + 2},
                Elements.longs(Op.tensor("arange.start", even + 1, even + 3, null, null, null, null)));
    }

    @Test
    void slicesLieAsTheyArePutTogether() {
        Tensor x = Op.floats(sizes(4, 2, 3), new double[24]);
        Tensor made = tensors("unique_dim", x, 1L, true, false, false)[0];
        assertArrayEquals(new int[] {4, 1, 3}, made.sizes());
        assertArrayEquals(new int[] {3, 12, 1}, made.strides());
    }

    @Test
    void valuesPlacesAndCounts() {
        Tensor[] out = tensors("_unique2", longs(3, 1, 3), true, true, true);
        expect(out[0], sizes(2), 1, 3);
        expect(out[1], sizes(3), 1, 0, 1);
        expect(out[2], sizes(2), 1, 2);
        expect(tensor("bincount", longs(1, 3, 1), null, 0L), sizes(4), 0, 2, 0, 1);
        assertThrows(IllegalArgumentException.class, () -> tensor("bincount", longs(1L << 40), null, 0L));
    }

    @Test
    void histogramsAndSearches() {
        expect(tensor("histc", vector(1, 2, 1, 4), 4L, 1L, 5L), sizes(4), 2, 1, 0, 1);
        expect(tensor("histc", vector(Double.NaN, 1, 2, 9), 4L, 0L, 2L), sizes(4), 1, 0, 1, 1);
        expect(tensor("searchsorted.Tensor", vector(1, 3, 5), vector(3, 0, 6), false, true), sizes(3), 2, 0, 3);
        expect(tensor("bucketize.Tensor", vector(3, 0, 6), vector(1, 3, 5), false, false), sizes(3), 1, 0, 3);
    }

    @Test
    void searchesRefuseRowsThatPyTorchRefuses() {
        Tensor rows = Op.floats(sizes(2, 3), 1, 2, 3, 2, 4, 6);
        expect(tensor("searchsorted.Tensor", rows, Op.floats(sizes(2, 1), 2, 2), false, false), sizes(2, 1), 1, 0);
        expect(tensor("searchsorted.Scalar", vector(1, 2, 3), 2.0, false, false), sizes(), 1);
        for (Tensor values : new Tensor[] {vector(1, 2), Op.floats(sizes(1, 4), 1, 2, 3, 4)}) {
            assertThrows(
                    IllegalArgumentException.class, () -> tensor("searchsorted.Tensor", rows, values, false, false));
        }
        assertThrows(IllegalArgumentException.class, () -> tensor("searchsorted.Scalar", rows, 2.0, false, false));
        assertThrows(
                IllegalArgumentException.class,
                () -> tensor("searchsorted.Scalar", Op.floats(sizes(), 1), 2.0, false, false));
        for (Tensor sorter : new Tensor[] {longs(0, 1), vector(0, 1, 2)}) {
            assertThrows(
                    IllegalArgumentException.class,
                    () -> tensor("searchsorted.Tensor", vector(1, 2, 3), vector(1), false, false, null, sorter));
        }
    }

    @Test
    void searchesInTheOrderOfASorter() {
        expect(
                tensor(
                        "searchsorted.Tensor",
                        vector(3, 1, 2),
                        vector(0.5, 2, 9),
                        false,
                        false,
                        "right",
                        longs(1, 2, 0)),
                DType.INT64,
                sizes(3),
                0,
                2,
                3);
        assertThrows(
                IllegalArgumentException.class,
                () -> tensor("searchsorted.Tensor", vector(1, 2), vector(1), false, true, "left"));
    }

    @Test
    void membersOfASet() {
        expect(tensor("isin.Tensor_Tensor", longs(1, 2, 3), longs(3, 1)), DType.BOOL, sizes(3), 1, 0, 1);
        expect(
                tensor("isin.Tensor_Scalar", vector(0, 2, Double.NaN), -0.0, false, true),
                DType.BOOL,
                sizes(3),
                0,
                1,
                1);
    }

    /** Expected counts are genuine PyTorch's. */
    @Test
    void histogramsDivideInTheTypeOfTheirElements() {
        double[] eighths = new double[80];
        Arrays.setAll(eighths, i -> (i - 40) / 8.0);
        Tensor x = tensor("to.dtype", vector(eighths), 15L);
        expect(tensor("histc", x, 11L, -5L, 5L), DType.BFLOAT16, sizes(11), 8, 7, 7, 7, 8, 7, 7, 7, 8, 7, 7);
        expect(tensor("histc", vector(eighths), 11L, -5L, 5L), sizes(11), 8, 7, 7, 8, 7, 7, 7, 8, 7, 7, 7);
        expect(
                tensor("histc", tensor("to.dtype", vector(new double[300]), 15L), 1L, -1L, 1L),
                DType.BFLOAT16,
                sizes(1),
                256);
    }

    @Test
    void nanComesBehindAllNumbers() {
        Tensor bounds = Op.vector(0, 1);
        org.junit.jupiter.api.Assertions.assertEquals(
                2,
                Op.tensor("bucketize.Tensor", Op.vector(Double.NaN), bounds, false, false)
                        .getLong(0));
    }
}
