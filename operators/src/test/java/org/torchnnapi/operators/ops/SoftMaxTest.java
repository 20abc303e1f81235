package org.torchnnapi.operators.ops;

import static org.torchnnapi.operators.ops.Op.expect;
import static org.torchnnapi.operators.ops.Op.floats;
import static org.torchnnapi.operators.ops.Op.sizes;
import static org.torchnnapi.operators.ops.Op.tensor;

import org.junit.jupiter.api.Test;
import org.torchnnapi.tensor.Tensor;

/** softmax. Expected values are genuine PyTorch's. */
class SoftMaxTest {
    private static final Tensor X = floats(sizes(2, 3), -2.5, -1, 0, 0.5, 1.5, 3);
    private static final Tensor I = Tensor.of(new long[] {-7, 2, 3, 4, -5, 6}, 2, 3);

    @Test
    void alongAnyDimension() {
        expect(
                tensor("softmax.int", X, 1L, null),
                sizes(2, 3),
                0.0566117279,
                0.253716171,
                0.689672053,
                0.0628900155,
                0.170952782,
                0.76615721);
        expect(
                tensor("softmax.int", X, 0L, null),
                sizes(2, 3),
                0.0474258736,
                0.0758581758,
                0.0474258736,
                0.952574134,
                0.924141824,
                0.952574134);
        expect(
                tensor("log_softmax.int", X, -1L, null),
                sizes(2, 3),
                -2.87153912,
                -1.37153912,
                -0.371539086,
                -2.76636791,
                -1.76636791,
                -0.266367882);
        expect(
                tensor("softmax.int", I, 1L, 6L),
                sizes(2, 3),
                3.31889096e-05,
                0.268932521,
                0.731034338,
                0.119201161,
                1.4710592e-05,
                0.880784094);
    }
}
