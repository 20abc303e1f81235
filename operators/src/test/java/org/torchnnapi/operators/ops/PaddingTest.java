package org.torchnnapi.operators.ops;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.torchnnapi.operators.ops.Op.expect;
import static org.torchnnapi.operators.ops.Op.floats;
import static org.torchnnapi.operators.ops.Op.ints;
import static org.torchnnapi.operators.ops.Op.sizes;
import static org.torchnnapi.operators.ops.Op.tensor;

import org.junit.jupiter.api.Test;
import org.torchnnapi.tensor.Tensor;

/** Padding. Expected values are genuine PyTorch's. */
class PaddingTest {
    private static final Tensor X = floats(sizes(2, 3), -2.5, -1, 0, 0.5, 1.5, 3);

    @Test
    void pads() {
        expect(tensor("constant_pad_nd", X, ints(1, 2, 0, 1), 0.5), sizes(3, 6), 0.5, -2.5, -1, 0, 0.5, 0.5, 0.5, 0.5, 1.5, 3, 0.5, 0.5,
            0.5, 0.5, 0.5, 0.5, 0.5, 0.5);
        expect(tensor("constant_pad_nd", X, ints(-1, 1), 0.0), sizes(2, 3), -1, 0, 0, 1.5, 3, 0);
        expect(tensor("pad", floats(sizes(1, 2, 3), -2.5, -1, 0, 0.5, 1.5, 3), ints(2, 1), "reflect", null), sizes(1, 2, 6), 0, -1,
            -2.5, -1, 0, -1, 3, 1.5, 0.5, 1.5, 3, 1.5);
        expect(tensor("pad", floats(sizes(1, 2, 3), -2.5, -1, 0, 0.5, 1.5, 3), ints(1, 2), "replicate", null), sizes(1, 2, 6), -2.5,
            -2.5, -1, 0, 0, 0, 0.5, 0.5, 1.5, 3, 3, 3);
        expect(tensor("pad", floats(sizes(1, 2, 3), -2.5, -1, 0, 0.5, 1.5, 3), ints(1, 1), "circular", null), sizes(1, 2, 5), 0, -2.5,
            -1, 0, -2.5, 3, 0.5, 1.5, 3, 0.5);
    }

    @Test
    void refusesPaddingBeyondTheTensor() {
        assertThrows(IllegalArgumentException.class, () -> tensor("pad", X, ints(3, 0), "reflect", null));
        assertThrows(IllegalArgumentException.class, () -> tensor("constant_pad_nd", X, ints(-2, -2), 0.0));
    }

    @Test
    void circularPaddingGoesAroundWhatNegativePaddingLeaves() {
        Tensor t = floats(sizes(1, 2, 4), 0, 1, 2, 3, 4, 5, 6, 7);
        expect(tensor("pad", t, ints(-1, 2), "circular"), sizes(1, 2, 5), 1, 2, 3, 1, 2, 5, 6, 7, 5, 6);
    }
}
