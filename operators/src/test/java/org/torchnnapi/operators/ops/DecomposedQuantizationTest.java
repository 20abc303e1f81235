package org.torchnnapi.operators.ops;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.torchnnapi.operators.ops.Op.expect;
import static org.torchnnapi.operators.ops.Op.floats;
import static org.torchnnapi.operators.ops.Op.sizes;
import static org.torchnnapi.operators.ops.Op.tensor;
import static org.torchnnapi.operators.ops.Op.tensors;

import org.junit.jupiter.api.Test;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;

/** Steps to integers and back; expected values are worked out by hand. */
class DecomposedQuantizationTest {
    private static final Tensor X = floats(sizes(2, 3), -1, 0.26, 0.75, 2, -3, 40);
    private static final long INT8 = DType.INT8.code();
    private static final String SPACE = "quantized_decomposed::";

    @Test
    void perTensor() {
        Tensor levels = tensor(SPACE + "quantize_per_tensor", X, 0.5, 1L, -128L, 10L, INT8);
        assertEquals(DType.INT8, levels.dtype());
        // Halves go to the even neighbour: 1.5 to 2.
        expect(levels, sizes(2, 3), -1, 2, 3, 5, -5, 10);
        expect(
                tensor(SPACE + "dequantize_per_tensor", levels, 0.5, 1L, -128L, 10L, INT8),
                sizes(2, 3),
                -1,
                0.5,
                1,
                2,
                -3,
                4.5);
        Tensor scale = Tensor.of(DType.FLOAT64, new double[] {0.5}, 1);
        Tensor zero = Tensor.of(new long[] {1}, 1);
        expect(
                tensor(SPACE + "quantize_per_tensor.tensor", X, scale, zero, -128L, 10L, INT8),
                sizes(2, 3),
                -1,
                2,
                3,
                5,
                -5,
                10);
        Tensor half = tensor(
                SPACE + "dequantize_per_tensor.tensor2",
                levels,
                scale,
                zero,
                Tensor.of(new long[] {-128}, 1),
                Tensor.of(new long[] {10}, 1),
                INT8,
                (long) DType.FLOAT16.code());
        assertEquals(DType.FLOAT16, half.dtype());
    }

    @Test
    void perChannel() {
        Tensor scales = floats(sizes(2), 0.5, 2);
        Tensor zeros = Tensor.of(new long[] {0, 3}, 2);
        Tensor levels = tensor(SPACE + "quantize_per_channel", X, scales, zeros, 0L, -128L, 127L, INT8);
        expect(levels, sizes(2, 3), -2, 1, 2, 4, 1, 23);
        expect(
                tensor(SPACE + "dequantize_per_channel", levels, scales, zeros, 0L, -128L, 127L, INT8),
                sizes(2, 3),
                -1,
                0.5,
                1,
                2,
                -4,
                40);
        expect(
                tensor(SPACE + "dequantize_per_channel", levels, scales, null, 0L, -128L, 127L, INT8),
                sizes(2, 3),
                -1,
                0.5,
                1,
                8,
                2,
                46);
    }

    @Test
    void groups() {
        Tensor x = floats(sizes(1, 4), 1, 2, 30, 40);
        Tensor scales = floats(sizes(1, 2), 1, 10);
        Tensor zeros = Tensor.of(new long[] {0, 1}, 1, 2);
        Tensor levels = tensor(SPACE + "quantize_per_channel_group", x, scales, zeros, -8L, 7L, INT8, 2L);
        expect(levels, sizes(1, 4), 1, 2, 4, 5);
        expect(
                tensor(SPACE + "dequantize_per_channel_group", levels, scales, zeros, -8L, 7L, INT8, 2L),
                sizes(1, 4),
                1,
                2,
                30,
                40);
    }

    @Test
    void parametersAreChosen() {
        Tensor[] made =
                tensors(SPACE + "choose_qparams.tensor", floats(sizes(3), -1, 0, 1.55), -128L, 127L, 1e-5, INT8);
        assertEquals(DType.FLOAT64, made[0].dtype());
        assertEquals(0.01, made[0].getDouble(0), 1e-6);
        expect(made[1], sizes(1), -28);
        made = tensors(
                SPACE + "choose_qparams_symmetric.tensor", floats(sizes(3), -1.275, 0, 1), -127L, 128L, 1e-5, INT8);
        assertEquals(0.01, made[0].getDouble(0), 1e-6);
        expect(made[1], sizes(1), 0);
        made = tensors(SPACE + "choose_qparams_per_token_asymmetric", floats(sizes(1, 3), -1, 0, 1.55), INT8);
        assertEquals(0.01, made[0].getDouble(0), 1e-6);
        expect(made[1], sizes(1, 1), -28);
    }
}
