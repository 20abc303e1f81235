package org.torchnnapi.operators.ops;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.torchnnapi.operators.ops.Op.expect;
import static org.torchnnapi.operators.ops.Op.floats;
import static org.torchnnapi.operators.ops.Op.list;
import static org.torchnnapi.operators.ops.Op.sizes;
import static org.torchnnapi.operators.ops.Op.tensor;
import static org.torchnnapi.operators.ops.Op.vector;

import org.junit.jupiter.api.Test;
import org.torchnnapi.tensor.Tensor;

/** Square systems. Expected values are genuine PyTorch's. */
class LinearSystemsTest {
    private static final Tensor M = floats(sizes(2, 2), 2, 1, 4, 3.5);

    @Test
    void determinantsAndInverses() {
        expect(tensor("linalg_det", M), sizes(), 3);
        expect(tensor("det", floats(sizes(2, 2), 1, 2, 2, 4)), sizes(), 0);
        expect(tensor("linalg_inv", M), sizes(2, 2), 1.16666675, -0.333333343, -1.33333337, 0.666666687);
        assertThrows(IllegalArgumentException.class, () -> tensor("inverse", floats(sizes(2, 2), 1, 2, 2, 4)));
        assertThrows(IllegalArgumentException.class, () -> tensor("inverse", floats(sizes(1, 2), 1, 2)));
    }

    @Test
    void solutions() {
        expect(tensor("linalg_solve", M, vector(1, 2)), sizes(2), 0.5, 0);
        Tensor both = tensor("stack", list(M, floats(sizes(2, 2), 2, 4, 1, 3.5)));
        expect(tensor("linalg_solve", both, floats(sizes(2, 1), 1, 2)), sizes(2, 2, 1), 0.5, 0, -1.5, 1);
        assertThrows(IllegalArgumentException.class, () -> tensor("linalg_solve", M, vector(1, 2, 3)));
    }

    @Test
    void complexSystems() {
        Tensor a = tensor("complex", floats(sizes(2, 2), 1, 2, 3, 4), floats(sizes(2, 2), 0, 1, -1, 2));
        Tensor b = tensor("complex", vector(1, 2), vector(1, 0));
        expect(tensor("view_as_real", tensor("linalg_det", a)), sizes(2), -3, 1);
        expect(tensor("view_as_real", tensor("linalg_solve", a, b)), sizes(2, 2), 1, -1, 0.4, 0.8);
        expect(tensor("view_as_real", tensor("linalg_inv", a)), sizes(2, 2, 2), -1, -1, 0.5, 0.5, 1, 0, -0.3, -0.1);
        assertThrows(
                IllegalArgumentException.class,
                () -> tensor("linalg_inv", tensor("mul", a, floats(sizes(2, 2), 0, 0, 1, 1))));
    }
}
