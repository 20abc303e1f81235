package org.torchnnapi.operators.ops;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.torchnnapi.operators.ops.Op.expect;
import static org.torchnnapi.operators.ops.Op.floats;
import static org.torchnnapi.operators.ops.Op.longs;
import static org.torchnnapi.operators.ops.Op.sizes;
import static org.torchnnapi.operators.ops.Op.tensor;
import static org.torchnnapi.operators.ops.Op.vector;

import org.junit.jupiter.api.Test;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;

/** Expected values are genuine PyTorch's. */
class LossTest {
    @Test
    void elementwise() {
        expect(tensor("smooth_l1_loss", vector(1, 3), vector(0, 0.5), 1L, 1.0), sizes(), 1.25);
        expect(tensor("mse_loss", vector(1, 3), vector(0, 0.5), 2L), sizes(), 7.25);
        expect(tensor("l1_loss", vector(1, 3), vector(0, 0.5), 0L), sizes(2), 1, 2.5);
        expect(tensor("kl_div", vector(-1, -2), vector(0.3, 0.7), 2L, false), sizes(), 1.0891356468200684);
        expect(
                tensor("binary_cross_entropy_with_logits", vector(0.5, -2), vector(1, 0), null, null, 1L),
                sizes(),
                0.3005025088787079);
    }

    @Test
    void classes() {
        expect(
                tensor("cross_entropy_loss", floats(sizes(2, 3), 1, 2, 3, 1, 0, 0), longs(2, 1), null, 1L, -100L, 0.1),
                sizes(),
                1.0128586292266846);
        expect(
                tensor("nll_loss_nd", floats(sizes(2, 2), -1, -2, -3, -0.5), longs(1, -100), null, 1L, -100L),
                sizes(),
                2);
        assertThrows(
                IndexOutOfBoundsException.class,
                () -> tensor("nll_loss_nd", floats(sizes(1, 2), -1, -2), longs(2), null, 1L, -100L));
    }

    @Test
    void stepsAreRoundedAsTheyAreInPyTorch() {
        Tensor scores = tensor("to.dtype", vector(-3.640625, -0.0232), 15L);
        Tensor target = tensor("to.dtype", vector(0.0693, 0.9297), 15L);
        expect(tensor("kl_div", scores, target, 0L, false), DType.BFLOAT16, sizes(2), 0.06640625, -0.04638671875);
        expect(
                tensor("kl_div", floats(sizes(1), Double.POSITIVE_INFINITY), vector(0), 0L, false),
                sizes(1),
                Double.NaN);
        expect(
                tensor("soft_margin_loss", vector(20, -100, 90), vector(1, 1, 1), 0L),
                sizes(3),
                0,
                Double.POSITIVE_INFINITY,
                0);
        expect(
                tensor("poisson_nll_loss", vector(1, 1), vector(Double.NaN, 0.5), false, true, 1e-8, 0L),
                sizes(2),
                Double.NaN,
                1);
        expect(
                tensor(
                        "poisson_nll_loss",
                        tensor("to.dtype", vector(8.25, 4), 15L),
                        tensor("to.dtype", vector(4.28125, 6.25), 15L),
                        false,
                        false,
                        1e-8,
                        0L),
                DType.BFLOAT16,
                sizes(2),
                -0.75,
                -4.625);
    }
}
