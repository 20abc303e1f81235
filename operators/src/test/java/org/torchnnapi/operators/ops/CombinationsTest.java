package org.torchnnapi.operators.ops;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.torchnnapi.operators.ops.Op.expect;
import static org.torchnnapi.operators.ops.Op.floats;
import static org.torchnnapi.operators.ops.Op.list;
import static org.torchnnapi.operators.ops.Op.longs;
import static org.torchnnapi.operators.ops.Op.sizes;
import static org.torchnnapi.operators.ops.Op.tensor;
import static org.torchnnapi.operators.ops.Op.vector;

import org.junit.jupiter.api.Test;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;

/** Products, choices and blocks. Expected values are genuine PyTorch's. */
class CombinationsTest {
    private static final Tensor X = floats(sizes(2, 3), 1, 4, 2, 3, -1, 5);
    private static final Tensor V = vector(1, 2, 4, 8);

    @Test
    void productsAndChoices() {
        expect(tensor("cartesian_prod", list(vector(1, 2), vector(3, 4))), sizes(4, 2), 1, 3, 1, 4, 2, 3, 2, 4);
        expect(tensor("cartesian_prod", list(V)), sizes(4), 1, 2, 4, 8);
        expect(tensor("combinations", V), sizes(6, 2), 1.0, 2.0, 1.0, 4.0, 1.0, 8.0, 2.0, 4.0, 2.0, 8.0, 4.0, 8.0);
        expect(
                tensor("combinations", longs(1, 2, 3), 3L, true),
                DType.INT64,
                sizes(10, 3),
                1.0,
                1.0,
                1.0,
                1.0,
                1.0,
                2.0,
                1.0,
                1.0,
                3.0,
                1.0,
                2.0,
                2.0,
                1.0,
                2.0,
                3.0,
                1.0,
                3.0,
                3.0,
                2.0,
                2.0,
                2.0,
                2.0,
                2.0,
                3.0,
                2.0,
                3.0,
                3.0,
                3.0,
                3.0,
                3.0);
        expect(tensor("combinations", V, 0L), sizes(0));
        assertThrows(IllegalArgumentException.class, () -> tensor("combinations", X));
    }

    @Test
    void blocksLieOnTheDiagonal() {
        expect(
                tensor("block_diag", list(X, floats(sizes(), 7), vector(1, 2))),
                sizes(4, 6),
                1.0,
                4.0,
                2.0,
                0.0,
                0.0,
                0.0,
                3.0,
                -1.0,
                5.0,
                0.0,
                0.0,
                0.0,
                0.0,
                0.0,
                0.0,
                7.0,
                0.0,
                0.0,
                0.0,
                0.0,
                0.0,
                0.0,
                1.0,
                2.0);
        assertThrows(IllegalArgumentException.class, () -> tensor("block_diag", list(floats(sizes(1, 1, 1), 1))));
    }
}
