package org.torchnnapi.operators.ops;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.torchnnapi.operators.ops.Op.expect;
import static org.torchnnapi.operators.ops.Op.floats;
import static org.torchnnapi.operators.ops.Op.longs;
import static org.torchnnapi.operators.ops.Op.sizes;
import static org.torchnnapi.operators.ops.Op.tensor;
import static org.torchnnapi.operators.ops.Op.vector;

import org.junit.jupiter.api.Test;
import org.torchnnapi.tensor.Tensor;

/** Expected values are genuine PyTorch's. */
class GroupReductionsTest {
    @Test
    void rowsWithTheSameIndexAreReduced() {
        Tensor t = vector(1, 2, 3);
        Tensor index = longs(0, 0, 2);
        expect(tensor("index_reduce", t, 0L, index, vector(5, 7, 9), "mean", true), sizes(3), 4.3333335, 2, 6);
        expect(tensor("index_reduce", t, 0L, index, vector(5, 7, 9), "prod", false), sizes(3), 35, 2, 9);
        assertThrows(
                IndexOutOfBoundsException.class,
                () -> tensor("index_reduce", t, 0L, longs(3), vector(5), "mean", true));
        assertThrows(
                IllegalArgumentException.class,
                () -> tensor("index_reduce", t, 0L, index, vector(5, 7, 9), "median", true));
    }

    @Test
    void runsOfRowsAreReduced() {
        Tensor t = vector(1, 2, 3, 4);
        expect(
                tensor("segment_reduce", t, "mean", longs(1, 0, 3), null, null, 0L, false, null),
                sizes(3),
                1,
                Double.NaN,
                3);
        expect(tensor("segment_reduce", t, "max", null, null, longs(0, 2, 4), 0L, false, null), sizes(2), 2, 4);
        assertThrows(
                IllegalArgumentException.class,
                () -> tensor("segment_reduce", t, "sum", longs(5), null, null, 0L, false, null));
    }

    @Test
    void longRowsOfATableAreScaled() {
        Tensor table = floats(sizes(2, 2), 3, 4, 0.3, 0.4);
        expect(tensor("embedding_renorm_", table, longs(0), 1.0, 2.0), sizes(2, 2), 0.6, 0.8, 0.3, 0.4);
    }
}
