package org.torchnnapi.operators.ops;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.torchnnapi.operators.ops.Op.expect;
import static org.torchnnapi.operators.ops.Op.floats;
import static org.torchnnapi.operators.ops.Op.sizes;
import static org.torchnnapi.operators.ops.Op.vector;

import org.junit.jupiter.api.Test;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;

/** Linear layers of half-precision weights, by their definition: weights are rounded and bounded, products are not. */
class HalfLinearsTest {
    @Test
    void weightsAreRoundedAndBounded() {
        Object packed = prepack(floats(sizes(2, 2), 1.0002, 2, 1e6, -1e6));
        Tensor weight = (Tensor) ((Object[]) Op.call("quantized::linear_unpack_fp16", packed))[0];
        expect(weight, DType.FLOAT16, sizes(2, 2), 1, 2, 65504, -65504);
        Tensor x = floats(sizes(1, 2), 1, 2);
        expect((Tensor) Op.call("quantized::linear_dynamic_fp16", x, packed), sizes(1, 2), 5.5, -65503.5);
        expect((Tensor) Op.call("quantized::linear_relu_dynamic_fp16", x, packed), sizes(1, 2), 5.5, 0);
        assertEquals(DType.FLOAT32, ((Tensor) Op.call("_saturate_weight_to_fp16", vector(1e6))).dtype());
    }

    private static Object prepack(Tensor weight) {
        return Op.call("quantized::linear_prepack_fp16", weight, vector(0.5, 0.5));
    }
}
