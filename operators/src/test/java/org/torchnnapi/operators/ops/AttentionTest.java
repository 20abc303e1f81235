package org.torchnnapi.operators.ops;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.torchnnapi.operators.ops.Op.floats;
import static org.torchnnapi.operators.ops.Op.sizes;
import static org.torchnnapi.operators.ops.Op.tensors;

import org.junit.jupiter.api.Test;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;

/** Expected values are genuine PyTorch's. */
class AttentionTest {
    @Test
    void weightsSumToOneAndCausalOnesLookBack() {
        Tensor q = floats(sizes(1, 2, 1), 1, 2);
        Tensor[] out =
                tensors("_scaled_dot_product_attention", q, q, floats(sizes(1, 2, 1), 10, 20), null, 0.0, true, true);
        assertEquals(10, out[0].getDouble(0), 1e-5);
        assertEquals(0, out[1].getDouble(1), 1e-6);
        assertEquals(1, out[1].getDouble(2) + out[1].getDouble(3), 1e-6);
    }

    @Test
    void headsMustDivideTheEmbedding() {
        Tensor x = Tensor.zeros(DType.FLOAT32, 1, 2, 3);
        Tensor w = Tensor.zeros(DType.FLOAT32, 9, 3);
        Tensor b = Tensor.zeros(DType.FLOAT32, 9);
        assertThrows(
                IllegalArgumentException.class,
                () -> tensors(
                        "_native_multi_head_attention",
                        x,
                        x,
                        x,
                        3L,
                        2L,
                        w,
                        b,
                        Tensor.zeros(DType.FLOAT32, 3, 3),
                        Tensor.zeros(DType.FLOAT32, 3),
                        null,
                        true,
                        true,
                        null));
    }
}
