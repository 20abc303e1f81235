package org.torchnnapi.operators.ops;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.torchnnapi.operators.ops.Op.expect;
import static org.torchnnapi.operators.ops.Op.floats;
import static org.torchnnapi.operators.ops.Op.ints;
import static org.torchnnapi.operators.ops.Op.sizes;
import static org.torchnnapi.operators.ops.Op.tensor;
import static org.torchnnapi.operators.ops.Op.tensors;

import org.junit.jupiter.api.Test;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.MemoryException;
import org.torchnnapi.tensor.Tensor;

/** Pooling. Expected values are genuine PyTorch's. */
class PoolTest {
    private static final Tensor LINE = floats(sizes(1, 1, 3), 1, 2, 3);

    @Test
    void alongOneDimensionThereMayBeNoWindow() {
        for (int kernel : new int[] {4, 5}) {
            expect(tensor("max_pool1d", LINE, ints(kernel), ints(2), ints(0), ints(1), false), sizes(1, 1, 0));
        }
        assertThrows(
                IllegalArgumentException.class,
                () -> tensor("max_pool1d", LINE, ints(6), ints(2), ints(0), ints(1), false));
        assertThrows(
                IllegalArgumentException.class,
                () -> tensors("max_pool1d_with_indices", LINE, ints(5), ints(2), ints(0), ints(1), false));
    }

    private static final Tensor P = floats(
            sizes(1, 1, 4, 5),
            -0.875,
            1.75,
            -0,
            1,
            0.375,
            0.625,
            -1.375,
            -0.625,
            0.625,
            0.125,
            -1.5,
            -0.5,
            0.5,
            -0.875,
            -1,
            0.5,
            -0.25,
            0.875,
            -0.75,
            0.25);

    @Test
    void slidingWindows() {
        expect(
                tensor("max_pool2d", P, ints(2, 2), ints(2, 2), ints(1, 1), ints(1, 1), false),
                sizes(1, 1, 3, 3),
                -0.875,
                1.75,
                1,
                0.625,
                0.5,
                0.625,
                0.5,
                0.875,
                0.25);
        expect(
                tensor("max_pool2d", P, ints(2, 3), ints(), ints(0, 0), ints(1, 1), true),
                sizes(1, 1, 2, 2),
                1.75,
                1,
                0.875,
                0.25);
        Tensor[] t3 = tensors("max_pool2d_with_indices", P, ints(2, 2), ints(2, 2), ints(0, 0), ints(1, 1), false);
        expect(t3[0], sizes(1, 1, 2, 2), 1.75, 1, 0.5, 0.875);
        expect(t3[1], sizes(1, 1, 2, 2), 1, 3, 15, 17);
        assertEquals(DType.INT64, t3[1].dtype());
        expect(
                tensor("avg_pool2d", P, ints(2, 2), ints(1, 2), ints(1, 1), false, true, null),
                sizes(1, 1, 5, 3),
                -0.21875,
                0.4375,
                0.34375,
                -0.0625,
                -0.0625,
                0.53125,
                -0.21875,
                -0.5,
                -0.28125,
                -0.25,
                0.15625,
                -0.59375,
                0.125,
                0.15625,
                -0.125);
        expect(
                tensor("avg_pool2d", P, ints(3, 3), ints(2, 2), ints(1, 1), true, false, null),
                sizes(1, 1, 3, 3),
                0.03125,
                0.229166672,
                0.53125,
                -0.416666657,
                -0.263888896,
                -0.270833343,
                0.125,
                -0.0416666679,
                -0.25);
        expect(
                tensor("avg_pool2d", P, ints(2, 2), ints(2, 2), ints(0, 0), false, true, 3L),
                sizes(1, 1, 2, 2),
                0.0416666679,
                0.333333343,
                -0.583333313,
                -0.0833333358);
        expect(
                tensor(
                        "max_pool1d",
                        floats(
                                sizes(1, 4, 5),
                                -0.875,
                                1.75,
                                -0,
                                1,
                                0.375,
                                0.625,
                                -1.375,
                                -0.625,
                                0.625,
                                0.125,
                                -1.5,
                                -0.5,
                                0.5,
                                -0.875,
                                -1,
                                0.5,
                                -0.25,
                                0.875,
                                -0.75,
                                0.25),
                        ints(2),
                        ints(1),
                        ints(0),
                        ints(2),
                        false),
                sizes(1, 4, 3),
                -0,
                1.75,
                0.375,
                0.625,
                0.625,
                0.125,
                0.5,
                -0.5,
                0.5,
                0.875,
                -0.25,
                0.875);
    }

    @Test
    void adaptive() {
        expect(
                tensor("adaptive_avg_pool2d", P, ints(3, 2)),
                sizes(1, 1, 3, 2),
                -0.0833333358,
                0.25,
                -0.479166657,
                -0.208333328,
                -0.0625,
                -0.166666672);
        Tensor[] t9 = tensors("adaptive_max_pool2d", P, ints(2, 3));
        expect(t9[0], sizes(1, 1, 2, 3), 1.75, 1.75, 1, 0.5, 0.875, 0.25);
        expect(t9[1], sizes(1, 1, 2, 3), 1, 1, 3, 15, 17, 19);
        assertEquals(DType.INT64, t9[1].dtype());
    }

    @Test
    void refusesBadWindows() {
        assertThrows(
                IllegalArgumentException.class,
                () -> tensor("max_pool2d", P, ints(9, 9), ints(1, 1), ints(0, 0), ints(1, 1), false));
        assertThrows(
                IllegalArgumentException.class,
                () -> tensor("max_pool2d", P, ints(2, 2), ints(1, 1), ints(2, 2), ints(1, 1), false));
        assertThrows(
                IllegalArgumentException.class,
                () -> tensor("avg_pool2d", P, ints(2, 2), ints(0, 1), ints(0, 0), false, true, null));
    }

    @Test
    void oneWindowIsAMeanOfAnyRank() {
        expect(tensor("adaptive_avg_pool2d", floats(sizes(2, 2), 1, 2, 3, 6), ints(1, 1)), sizes(1, 1), 3);
        expect(tensor("adaptive_avg_pool2d", floats(sizes(4, 0)), ints(1, 1)), sizes(1, 1), Double.NaN);
        assertThrows(
                IllegalArgumentException.class,
                () -> tensor("adaptive_avg_pool2d", floats(sizes(2, 2), 1, 2, 3, 6), ints(2, 1)));
    }

    @Test
    void windowsOfAnySizeAreComputedOrRefused() {
        Tensor row = floats(sizes(1, 1, 7), 1, 2, 3, 4, 5, 6, 7);
        long most = Integer.MAX_VALUE;
        expect(tensor("max_pool1d", row, ints(3), ints(most), ints(1), ints(1), false), sizes(1, 1, 1), 2);
        expect(
                tensor("max_pool1d", row, ints(1 << 29), ints(1), ints(1 << 28), ints(1), false),
                sizes(1, 1, 8),
                7,
                7,
                7,
                7,
                7,
                7,
                7,
                7);
        expect(
                tensor("avg_pool1d", row, ints(1 << 29), ints(1), ints(1 << 28), false, false),
                sizes(1, 1, 8),
                4,
                4,
                4,
                4,
                4,
                4,
                4,
                4);
        assertThrows(
                IllegalArgumentException.class,
                () -> tensor("max_pool1d", row, ints(most), ints(most), ints(0), ints(most), true));
        assertThrows(
                IllegalArgumentException.class,
                () -> tensor("max_pool1d", row, ints(most), ints(1), ints(most / 2), ints(1), false));
        assertThrows(
                MemoryException.class,
                () -> tensor("adaptive_avg_pool2d", floats(sizes(1, 1, 1), 1), ints(40000, 40000)));
    }
}
