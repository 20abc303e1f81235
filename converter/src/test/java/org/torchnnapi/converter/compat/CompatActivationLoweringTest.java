package org.torchnnapi.converter.compat;

import org.junit.jupiter.api.Test;
import org.torchnnapi.converter.input.InputSpec;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;

class CompatActivationLoweringTest {
    private final GraphUnderTest g = new GraphUnderTest();

    @Test
    void reluKeepsShapeAndLayout() {
        g.lowersTo(
                g.op("aten::relu", g.nhwc(1, 3, 4, 5)), "RELU[float32[1, 3, 4, 5] NHWC] -> float32[1, 3, 4, 5] NHWC");
    }

    @Test
    void reluRefusesIntegers() {
        g.isRefused(g.op("aten::relu", g.input(InputSpec.of(DType.INT32, 3))), "aten::relu", "int32[3]");
    }

    @Test
    void sigmoidOfQuantizedHasFixedQuantization() {
        g.lowersTo(
                g.op("aten::sigmoid", g.input(InputSpec.quantized(0.5, 3, 2, 2))),
                "LOGISTIC[quint8[2, 2]*0.5@3] -> quint8[2, 2]*0.00390625@0");
    }

    @Test
    void hardtanhHasTwoRanges() {
        Object x = g.floats(2);
        g.lowersTo(
                g.op("aten::hardtanh", g.op("aten::hardtanh", x, 0.0, 6.0), -1.0, 1.0),
                "RELU6[float32[2]] -> float32[2]",
                "RELU1[float32[2]] -> float32[2]");
    }

    @Test
    void hardtanhRefusesOtherRanges() {
        g.isRefused(g.op("aten::hardtanh", g.floats(2), 0.0, 1.0), "hardtanh(0.0, 1.0)", "(0, 6)");
    }

    @Test
    void preluPerChannelNeedsNhwc() {
        Tensor slopes = Tensor.of(new float[] {0.1f, 0.2f}, 2);
        g.lowersTo(
                g.op("aten::prelu", g.nhwc(1, 2, 3, 3), slopes),
                "PRELU[float32[1, 2, 3, 3] NHWC, float32[2]] -> float32[1, 2, 3, 3] NHWC");
        GraphUnderTest other = new GraphUnderTest();
        other.isRefused(other.op("aten::prelu", other.floats(1, 2, 3, 3), slopes), "channels last");
    }

    @Test
    void preluRefusesFlexibleBatch() {
        g.isRefused(g.op("aten::prelu", g.floats(0, 2, 3, 3), Tensor.of(new float[] {0.1f}, 1)), "fixed dimension 0");
    }
}
