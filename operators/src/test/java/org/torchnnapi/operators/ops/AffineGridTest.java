package org.torchnnapi.operators.ops;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.torchnnapi.operators.ops.Op.expect;
import static org.torchnnapi.operators.ops.Op.floats;
import static org.torchnnapi.operators.ops.Op.ints;
import static org.torchnnapi.operators.ops.Op.sizes;
import static org.torchnnapi.operators.ops.Op.tensor;

import org.junit.jupiter.api.Test;
import org.torchnnapi.tensor.Tensor;

/** Expected values are genuine PyTorch's. */
class AffineGridTest {
    @Test
    void positionsOfATransform() {
        Tensor theta = floats(sizes(1, 2, 3), 1, 0, 0.5, 0, 2, 0);
        expect(
                tensor("affine_grid_generator", theta, ints(1, 1, 2, 2), false),
                sizes(1, 2, 2, 2),
                0,
                -1,
                1,
                -1,
                0,
                1,
                1,
                1);
        assertThrows(
                IllegalArgumentException.class, () -> tensor("affine_grid_generator", theta, ints(2, 1, 2, 2), false));
    }
}
