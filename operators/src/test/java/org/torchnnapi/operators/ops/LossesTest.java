package org.torchnnapi.operators.ops;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.torchnnapi.operators.ops.Op.expect;
import static org.torchnnapi.operators.ops.Op.floats;
import static org.torchnnapi.operators.ops.Op.longs;
import static org.torchnnapi.operators.ops.Op.sizes;
import static org.torchnnapi.operators.ops.Op.tensor;
import static org.torchnnapi.operators.ops.Op.vector;

import org.junit.jupiter.api.Test;

/** Expected values are genuine PyTorch's. */
class LossesTest {
    @Test
    void elementwise() {
        expect(tensor("smooth_l1_loss", vector(1, 3), vector(0, 0.5), 1L, 1.0), sizes(), 1.25);
        expect(tensor("mse_loss", vector(1, 3), vector(0, 0.5), 2L), sizes(), 7.25);
        expect(tensor("l1_loss", vector(1, 3), vector(0, 0.5), 0L), sizes(2), 1, 2.5);
        expect(tensor("kl_div", vector(-1, -2), vector(0.3, 0.7), 2L, false), sizes(), 1.0891356468200684);
        expect(tensor("binary_cross_entropy_with_logits", vector(0.5, -2), vector(1, 0), null, null, 1L), sizes(), 0.3005025088787079);
    }

    @Test
    void classes() {
        expect(tensor("cross_entropy_loss", floats(sizes(2, 3), 1, 2, 3, 1, 0, 0), longs(2, 1), null, 1L, -100L, 0.1), sizes(), 1.0128586292266846);
        expect(tensor("nll_loss_nd", floats(sizes(2, 2), -1, -2, -3, -0.5), longs(1, -100), null, 1L, -100L), sizes(), 2);
        assertThrows(IndexOutOfBoundsException.class,
            () -> tensor("nll_loss_nd", floats(sizes(1, 2), -1, -2), longs(2), null, 1L, -100L));
    }
}
