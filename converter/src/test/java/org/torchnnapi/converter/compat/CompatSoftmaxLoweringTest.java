package org.torchnnapi.converter.compat;

import org.junit.jupiter.api.Test;
import org.torchnnapi.converter.input.InputSpec;
import org.torchnnapi.tensor.DType;

class CompatSoftmaxLoweringTest {
    private final GraphUnderTest g = new GraphUnderTest();

    @Test
    void contiguousTensorsKeepTheDimension() {
        g.lowersTo(g.op("aten::softmax", g.floats(2, 3), -1, null), "SOFTMAX[float32[2, 3], 1.0, -1] -> float32[2, 3]");
    }

    @Test
    void nhwcTensorsAreNormalisedAlongTheirOwnDimension() {
        g.lowersTo(
                g.op("aten::log_softmax", g.nhwc(1, 3, 4, 5), 1, null),
                "LOG_SOFTMAX[float32[1, 3, 4, 5] NHWC, 1.0, 3] -> float32[1, 3, 4, 5] NHWC");
    }

    @Test
    void refusesIntegersAndOtherTypes() {
        g.isRefused(g.op("aten::softmax", g.input(InputSpec.of(DType.INT32, 2)), 0, null), "int32[2]");
        GraphUnderTest half = new GraphUnderTest();
        half.isRefused(half.op("aten::softmax", half.floats(2), 0, DType.FLOAT16.code()), "float16");
    }
}
