package org.torchnnapi.operators.ops;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.torchnnapi.operators.ops.Op.expect;
import static org.torchnnapi.operators.ops.Op.sizes;
import static org.torchnnapi.operators.ops.Op.tensor;
import static org.torchnnapi.operators.ops.Op.vector;

import org.junit.jupiter.api.Test;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;

/** Quantizing and dequantizing. Expected values are genuine PyTorch's. */
class QuantizedTensorsTest {
    @Test
    void roundsHalvesToEvenAndLimits() {
        Tensor q = tensor("quantize_per_tensor", vector(0.125, 0.375, -0.125, 0.625, 99, -99), 0.25, 10L, 13L);
        assertEquals(DType.QUINT8, q.dtype());
        expect(tensor("int_repr", q), sizes(6), 10, 12, 10, 12, 255, 0);
        expect(tensor("dequantize.self", q), sizes(6), 0, 0.5, 0, 0.5, 61.25, -2.5);
        assertEquals(0.25, Op.call("q_scale", q));
        assertEquals(10L, Op.call("q_zero_point", q));
    }

    /** Expected values are those of the QNNPACK engine. */
    @Test
    void dynamicRangesUseAllBits() {
        Object[] chosen = (Object[]) Op.call("_choose_qparams_per_tensor", vector(0, 1, 2), true);
        assertEquals(0.00784313725490196, (double) chosen[0]);
        assertEquals(0L, chosen[1]);
        assertEquals(
                0.00784313725490196,
                Op.call("q_scale", tensor("quantize_per_tensor_dynamic", vector(0, 1, 2), 12L, true)));
    }

    /** Parts of a tensor have the scales of their channels. */
    @Test
    void viewsTakeTheScalesOfTheirChannels() {
        Tensor q = tensor(
                "quantize_per_channel",
                Op.floats(sizes(3, 2), 1, 2, 1, 2, 1, 2),
                vector(0.5, 0.25, 1),
                Op.longs(0, 1, 2),
                0L,
                12L);
        expect(tensor("dequantize.self", tensor("select.int", q, 0L, 1L)), sizes(2), 1, 2);
        assertEquals(0.25, Op.call("q_scale", tensor("select.int", q, 0L, 1L)));
        expect(tensor("dequantize.self", tensor("slice.Tensor", q, 0L, 1L, 3L, 1L)), sizes(2, 2), 1, 2, 1, 2);
        expect(tensor("dequantize.self", tensor("select.int", q, 1L, 1L)), sizes(3), 2, 2, 2);
    }

    @Test
    void refusesScalesThatAreNoScales() {
        assertThrows(IllegalArgumentException.class, () -> tensor("quantize_per_tensor", vector(1), 0.0, 0L, 13L));
        assertThrows(IllegalArgumentException.class, () -> tensor("q_scale", vector(1)));
    }
}
