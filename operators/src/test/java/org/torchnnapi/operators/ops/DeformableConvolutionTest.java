package org.torchnnapi.operators.ops;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.torchnnapi.operators.ops.Op.expect;
import static org.torchnnapi.operators.ops.Op.floats;
import static org.torchnnapi.operators.ops.Op.sizes;
import static org.torchnnapi.operators.ops.Op.tensor;
import static org.torchnnapi.operators.ops.Op.vector;

import org.junit.jupiter.api.Test;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;

/** Expected values are genuine PyTorch's. */
class DeformableConvolutionTest {
    @Test
    void offsetsMoveTheTaps() {
        Tensor input = floats(sizes(1, 1, 2, 2), 0, 1, 2, 3);
        Tensor offset = floats(sizes(1, 2, 2, 2), .5, .5, .5, .5, .5, .5, .5, .5);
        Tensor weight = floats(sizes(1, 1, 1, 1), 2);
        Object[] rest = {1L, 1L, 0L, 0L, 1L, 1L, 1L, 1L, false};
        expect(run(input, weight, offset, rest), sizes(1, 1, 2, 2), 3, 2, 2.5, 1.5);
        assertThrows(
                IllegalArgumentException.class,
                () -> run(input, weight, Tensor.zeros(DType.FLOAT32, 1, 4, 2, 2), rest));
    }

    private static Tensor run(Tensor input, Tensor weight, Tensor offset, Object[] rest) {
        Object[] all = new Object[5 + rest.length];
        System.arraycopy(new Object[] {input, weight, offset, Tensor.zeros(DType.FLOAT32, 0), vector(0)}, 0, all, 0, 5);
        System.arraycopy(rest, 0, all, 5, rest.length);
        return tensor("torchvision::deform_conv2d", all);
    }
}
