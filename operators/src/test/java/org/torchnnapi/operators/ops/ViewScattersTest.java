package org.torchnnapi.operators.ops;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.torchnnapi.operators.ops.Op.expect;
import static org.torchnnapi.operators.ops.Op.floats;
import static org.torchnnapi.operators.ops.Op.ints;
import static org.torchnnapi.operators.ops.Op.sizes;
import static org.torchnnapi.operators.ops.Op.tensor;
import static org.torchnnapi.operators.ops.Op.vector;

import org.junit.jupiter.api.Test;
import org.torchnnapi.tensor.Tensor;

/** Copies with another view. Expected values are genuine PyTorch's. */
class ViewScattersTest {
    private static final Tensor X = floats(sizes(2, 3), 1, 4, 2, 3, -1, 5);
    private static final Tensor V = vector(1, 2, 4, 8);

    @Test
    void viewsAreReplaced() {
        expect(tensor("select_scatter", X, vector(7, 8), 1L, 1L), sizes(2, 3), 1, 7, 2, 3, 8, 5);
        expect(tensor("slice_scatter", V, vector(9, 9), 0L, 0L, 4L, 2L), sizes(4), 9, 2, 9, 8);
        expect(tensor("diagonal_scatter", X, vector(7, 8), 1L), sizes(2, 3), 1, 7, 2, 3, -1, 8);
        expect(tensor("as_strided_scatter", V, vector(5, 6), ints(2), ints(2), 1L), sizes(4), 1, 5, 4, 6);
        expect(X, sizes(2, 3), 1, 4, 2, 3, -1, 5);
        assertThrows(IllegalArgumentException.class, () -> tensor("select_scatter", X, vector(7, 8, 9), 1L, 1L));
    }
}
