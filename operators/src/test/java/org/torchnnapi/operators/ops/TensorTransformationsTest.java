package org.torchnnapi.operators.ops;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.torchnnapi.operators.ops.Op.counted;
import static org.torchnnapi.operators.ops.Op.expect;
import static org.torchnnapi.operators.ops.Op.floats;
import static org.torchnnapi.operators.ops.Op.ints;
import static org.torchnnapi.operators.ops.Op.list;
import static org.torchnnapi.operators.ops.Op.sizes;
import static org.torchnnapi.operators.ops.Op.tensor;

import org.junit.jupiter.api.Test;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.value.ScriptList;

/** Elements in another order. Expected values are genuine PyTorch's. */
class TensorTransformationsTest {
    private static final Tensor X = floats(sizes(2, 3), -2.5, -1, 0, 0.5, 1.5, 3);
    private static final Tensor J = Tensor.of(new long[] {2, -3, 4}, 3);

    @Test
    void turns() {
        expect(tensor("flip", X, ints(1)), sizes(2, 3), 0, -1, -2.5, 3, 1.5, 0.5);
        expect(tensor("roll", X, ints(1), ints(1)), sizes(2, 3), 0, -2.5, -1, 3, 0.5, 1.5);
        expect(tensor("roll", X, ints(2), ints()), sizes(2, 3), 1.5, 3, -2.5, -1, 0, 0.5);
        expect(tensor("roll", X, ints(1L << 40), ints(1)), sizes(2, 3), 0, -2.5, -1, 3, 0.5, 1.5);
        expect(tensor("rot90", X, 1L, ints(0, 1)), sizes(3, 2), 0, 3, -1, 1.5, -2.5, 0.5);
        expect(tensor("repeat", X, ints(2, 1)), sizes(4, 3), -2.5, -1, 0, 0.5, 1.5, 3, -2.5, -1, 0, 0.5, 1.5, 3);
        expect(
                tensor("repeat_interleave.self_int", X, 2L, 1L, null),
                sizes(2, 6),
                -2.5,
                -2.5,
                -1,
                -1,
                0,
                0,
                0.5,
                0.5,
                1.5,
                1.5,
                3,
                3);
        expect(tensor("tile", J, ints(2)), DType.INT64, sizes(6), 2, -3, 4, 2, -3, 4);
    }

    @Test
    void shuffles() {
        expect(tensor("pixel_shuffle", counted(1, 4, 1, 2), 2L), sizes(1, 1, 2, 4), 0, 2, 1, 3, 4, 6, 5, 7);
        expect(tensor("pixel_unshuffle", counted(1, 1, 2, 4), 2L), sizes(1, 4, 1, 2), 0, 2, 1, 3, 4, 6, 5, 7);
        expect(tensor("channel_shuffle", counted(1, 4, 1, 2), 2L), sizes(1, 4, 1, 2), 0, 1, 4, 5, 2, 3, 6, 7);
    }

    @Test
    void trianglesAndGrids() {
        expect(tensor("tril", X, 0L), sizes(2, 3), -2.5, 0, 0, 0.5, 1.5, 0);
        expect(tensor("triu", floats(sizes(0)), 1L), sizes(0));
        expect(tensor("pixel_unshuffle", floats(sizes(0, 6, 2)), 2L), sizes(0, 6, 2));
        expect(tensor("triu", X, 1L), sizes(2, 3), 0, -1, 0, 0, 0, 3);
        expect(tensor("diag", J, 1L), DType.INT64, sizes(4, 4), 0, 2, 0, 0, 0, 0, -3, 0, 0, 0, 0, 4, 0, 0, 0, 0);
        ScriptList t14 = (ScriptList)
                Op.call("meshgrid.indexing", list(floats(sizes(2), 1, 2), floats(sizes(3), 3, 4, 5)), "xy");
        assertEquals(2, t14.size());
        expect((Tensor) t14.get(0), sizes(3, 2), 1, 2, 1, 2, 1, 2);
        expect((Tensor) t14.get(1), sizes(3, 2), 3, 3, 4, 4, 5, 5);
        expect(tensor("one_hot", Tensor.of(new long[] {0, 2}, 2), -1L), DType.INT64, sizes(2, 3), 1, 0, 0, 0, 0, 1);
    }

    @Test
    void diagonalsLieBetweenAnyDimensions() {
        expect(
                tensor("diag_embed", floats(sizes(2, 2), 1, 2, 3, 4), 0L, 0L, 2L),
                sizes(2, 2, 2),
                1,
                0,
                3,
                0,
                0,
                2,
                0,
                4);
        expect(tensor("diag_embed", floats(sizes(2), 1, 2), 1L, -1L, -2L), sizes(3, 3), 0, 0, 0, 1, 0, 0, 0, 2, 0);
        expect(tensor("diagflat", floats(sizes(1, 2), 1, 2)), sizes(2, 2), 1, 0, 0, 2);
        assertThrows(IllegalArgumentException.class, () -> tensor("diag_embed", floats(sizes(2), 1, 2), 0L, 1L, -1L));
    }
}
