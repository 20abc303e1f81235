package org.torchnnapi.operators.ops;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.torchnnapi.operators.ops.Op.expect;
import static org.torchnnapi.operators.ops.Op.sizes;
import static org.torchnnapi.operators.ops.Op.tensor;
import static org.torchnnapi.operators.ops.Op.vector;

import org.junit.jupiter.api.Test;
import org.torchnnapi.tensor.Quantization;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.value.ScriptList;

/** Sums and products of quantized tensors. Expected values are genuine PyTorch's with QNNPACK. */
class QuantizedArithmeticTest {
    private static final Tensor A = tensor("quantize_per_tensor", vector(-1, 0.5, 2, 9), 0.05, 100L, 13L);
    private static final Tensor B = tensor("quantize_per_tensor", vector(1, 0.25, -2, 3), 0.1, 50L, 13L);

    @Test
    void adds() {
        expect(tensor("int_repr", tensor("quantized::add", A, B, 0.08, 60L)), sizes(4), 60, 69, 60, 194);
        expect(tensor("int_repr", tensor("quantized::add_relu", A, B, 0.08, 60L)), sizes(4), 60, 69, 60, 194);
    }

    @Test
    void multipliesWithTiesAsQnnpackRoundsThem() {
        expect(tensor("int_repr", tensor("quantized::mul", A, B, 0.2, 60L)), sizes(4), 55, 61, 40, 176);
        expect(tensor("int_repr", tensor("quantized::mul_relu", A, B, 0.2, 60L)), sizes(4), 60, 61, 60, 176);
        expect(tensor("int_repr", tensor("quantized::mul", A, B, 0.3, 5L)), sizes(4), 2, 5, 0, 83);
    }

    @Test
    void constantsChangeTheParameters() {
        Tensor sum = tensor("quantized::add_scalar", A, 1.5);
        assertEquals(new Quantization.PerTensor(0.05, 70), sum.quantization());
        expect(tensor("int_repr", sum), sizes(4), 80, 110, 140, 255);
        assertEquals(
                new Quantization.PerTensor(0.1, 100),
                tensor("quantized::mul_scalar", A, 2.0).quantization());
    }

    @Test
    void slopesAreMultipliedInIntegersAndOneIsWhatTheirScaleHas() {
        Tensor x = tensor(
                "reshape",
                tensor("quantize_per_tensor", vector(-2, -1, 0, 1, 2, 3), 0.05, 100L, 13L),
                ScriptList.ofInts(1, 2, 3, 1));
        Tensor quarter = tensor("quantize_per_tensor", vector(0.25, 0.25), 0.25 / 127.5, 0L, 13L);
        expect(
                tensor("int_repr", tensor("quantized::prelu", x, quarter, 0.1, 100L)),
                sizes(1, 2, 3, 1),
                95,
                98,
                100,
                105,
                110,
                115);
        Tensor mixed = tensor("quantize_per_tensor", vector(0.25, 0.5), 0.5 / 127.5, 0L, 13L);
        expect(
                tensor("int_repr", tensor("quantized::prelu", x, mixed, 0.02, 100L)),
                sizes(1, 2, 3, 1),
                75,
                87,
                100,
                150,
                200,
                250);
    }

    @Test
    void refusesRealTensors() {
        assertThrows(IllegalArgumentException.class, () -> tensor("quantized::add", vector(1), vector(2), 0.1, 0L));
    }
}
