package org.torchnnapi.operators.ops;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.torchnnapi.operators.ops.Op.expect;
import static org.torchnnapi.operators.ops.Op.floats;
import static org.torchnnapi.operators.ops.Op.ints;
import static org.torchnnapi.operators.ops.Op.longs;
import static org.torchnnapi.operators.ops.Op.sizes;
import static org.torchnnapi.operators.ops.Op.tensor;
import static org.torchnnapi.operators.ops.Op.tensors;

import org.junit.jupiter.api.Test;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;

/** Expected values are genuine PyTorch's. */
class MomentsTest {
    private static final Tensor Y = floats(sizes(2, 3), 3, 1, 2, 5, 0, -1);

    @Test
    void spreads() {
        expect(tensor("var.dim", Y, ints(1), true, false), sizes(2), 1, 10.333333015441895);
        expect(tensor("std", Y, true), sizes(), 2.1602468490600586);
        expect(tensors("var_mean", Y, false)[1], sizes(), 10.0 / 6);
        assertThrows(IllegalArgumentException.class, () -> tensor("var", longs(1, 2), true));
    }

    @Test
    void norms() {
        expect(tensor("norm.Scalar", Y, 1L), sizes(), 12);
        expect(tensor("norm.ScalarOpt_dim", Y, 3.0, ints(1), false), sizes(2), 3.301927328109741, 5.013298034667969);
        expect(tensor("linalg_vector_norm", Y, Double.POSITIVE_INFINITY, null, false), sizes(), 5);
        expect(tensor("linalg_vector_norm", Y, 0L, null, false), sizes(), 5);
    }

    @Test
    void lengths() {
        Tensor x = floats(sizes(2, 3), 1, 4, 2, 3, -1, 5);
        expect(tensor("linalg_norm", x), sizes(), 7.48331499);
        expect(tensor("linalg_norm", x, 1L, ints(1)), sizes(2), 7, 9);
        expect(tensor("linalg_norm", x, 1L), sizes(), 7);
    }

    @Test
    void complexNumbersSpreadInBothParts() {
        Tensor b = Op.tensor("complex", Op.vector(1, 2), Op.vector(1, 0));
        Op.expect(Op.tensor("var", b, true), Op.sizes(), 1);
        Op.expect(
                Op.tensor("linalg_norm", Op.floats(Op.sizes(2, 2), 1, 2, 3, 4), -2L, null, false, null),
                Op.sizes(),
                0.36596619);
    }

    @Test
    void correctionsMayBeFractions() {
        Tensor t = Op.vector(1, 2, 4);
        Op.expect(Op.tensor("var.correction", t, null, 0.5, false), Op.sizes(), 14.0 / 3 / 2.5);
        Op.expect(Op.tensor("var.correction", t, null, 3.0, false), Op.sizes(), Double.POSITIVE_INFINITY);
    }

    @Test
    void powersOfHalvesOverflow() {
        Tensor half = Op.tensor("full", Op.ints(5), 120.0, (long) DType.FLOAT16.code());
        Op.expect(Op.tensor("norm.Scalar", half, 2L), DType.FLOAT16, Op.sizes(), Double.POSITIVE_INFINITY);
        Op.expect(Op.tensor("norm.Scalar", half, 1L), DType.FLOAT16, Op.sizes(), 600);
    }
}
