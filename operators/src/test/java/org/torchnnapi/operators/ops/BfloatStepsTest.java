package org.torchnnapi.operators.ops;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.torchnnapi.operators.ops.Op.tensor;
import static org.torchnnapi.operators.ops.Op.vector;

import org.junit.jupiter.api.Test;
import org.torchnnapi.operators.support.Elements;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;

/** Functions of bfloat16 that PyTorch rounds step by step. Expected values are genuine PyTorch's, to the bit. */
class BfloatStepsTest {
    private static final Tensor X = bfloats(-2.296875, -0.69921875, 0, 0.310546875, 1.8984375);

    private static Tensor bfloats(double... values) {
        return Elements.cast(vector(values), DType.BFLOAT16);
    }

    @Test
    void functions() {
        assertArrayEquals(new double[] {0.01171875, 0.2421875, 0.5, 0.62109375, 0.96875}, Elements.doubles(tensor("special_ndtr", X)));
        assertArrayEquals(new double[] {0.111328125, 0.3671875, 1, 0.84765625, -0.0517578125}, Elements.doubles(tensor("sinc", X)));
    }

    @Test
    void losses() {
        Tensor target = bfloats(0.10009765625, 0.8984375, 1, 0, 0.6015625);
        assertArrayEquals(new double[] {0.33203125, 1.03125, 0.69140625, 0.859375, 0.8984375},
            Elements.doubles(tensor("binary_cross_entropy_with_logits", X, target, null, null, 0L)));
        assertArrayEquals(new double[] {0.328125, 2.03125, 0.2080078125, 0.859375, 1.0625},
            Elements.doubles(tensor("binary_cross_entropy_with_logits", X, target, null, bfloats(1, 2, 0.30078125, 1.5, 3), 0L)));
    }
}
