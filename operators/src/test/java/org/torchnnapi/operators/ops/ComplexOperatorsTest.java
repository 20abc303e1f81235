package org.torchnnapi.operators.ops;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.torchnnapi.operators.ops.Op.expect;
import static org.torchnnapi.operators.ops.Op.floats;
import static org.torchnnapi.operators.ops.Op.sizes;
import static org.torchnnapi.operators.ops.Op.tensor;

import org.junit.jupiter.api.Test;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;

/** Complex numbers. Expected values are genuine PyTorch's. */
class ComplexOperatorsTest {
    private static final Tensor V = floats(sizes(3), 0.25, 0.5, 1.5);

    @Test
    void partsAndProducts() {
        Tensor t1 = tensor("complex", V, V);
        assertEquals(DType.COMPLEX64, t1.dtype());
    }

    @Test
    void multipliesDividesAndMeasures() {
        Tensor z = tensor("complex", floats(sizes(2), 3, 0), floats(sizes(2), 4, 2));
        expect(tensor("abs", z), sizes(2), 5, 2);
        expect(tensor("view_as_real", tensor("mul.Tensor", z, z)), sizes(2, 2), -7, 24, -4, 0);
        expect(tensor("view_as_real", tensor("div.Tensor", z, z)), sizes(2, 2), 1, 0, 1, 0);
        expect(tensor("angle", z), sizes(2), 0.927295218, 1.57079633);
        assertThrows(IllegalArgumentException.class, () -> tensor("view_as_real", V));
    }
}
