package org.torchnnapi.converter.compat;

import org.junit.jupiter.api.Test;
import org.torchnnapi.tensor.DType;

class CompatQuantizationLoweringTest {
    private final GraphUnderTest g = new GraphUnderTest();

    @Test
    void quantizesAndDequantizes() {
        g.lowersTo(
                g.op(
                        "aten::dequantize",
                        g.op("aten::quantize_per_tensor", g.nhwc(1, 2, 3, 3), 0.5, 9, DType.QUINT8.code())),
                "QUANTIZE[float32[1, 2, 3, 3] NHWC] -> quint8[1, 2, 3, 3] NHWC*0.5@9",
                "DEQUANTIZE[quint8[1, 2, 3, 3] NHWC*0.5@9] -> float32[1, 2, 3, 3] NHWC");
    }

    @Test
    void refusesNchwAndSignedBytes() {
        g.isRefused(g.op("aten::quantize_per_tensor", g.floats(1, 2, 3, 3), 0.5, 9, DType.QUINT8.code()), "NHWC");
        GraphUnderTest signed = new GraphUnderTest();
        signed.isRefused(
                signed.op("aten::quantize_per_tensor", signed.nhwc(1, 2, 3, 3), 0.5, 0, DType.QINT8.code()), "qint8");
    }
}
