package org.torchnnapi.converter.compat;

import org.junit.jupiter.api.Test;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.torchscript.value.TorchDevice;

class CompatIdentityLoweringTest {
    private final GraphUnderTest g = new GraphUnderTest();

    @Test
    void detachAndSameTypeCostNothing() {
        Object x = g.op("aten::to", g.op("aten::detach", g.floats(2)), DType.FLOAT32.code(), false, false, null);
        g.lowersTo(g.op("aten::relu", x), "RELU[float32[2]] -> float32[2]");
    }

    @Test
    void integersAreCast() {
        g.lowersTo(
                g.op(
                        "aten::to",
                        g.op("aten::to", g.floats(2), DType.INT32.code(), false, false, null),
                        DType.FLOAT32.code(),
                        false,
                        false,
                        null),
                "CAST[float32[2]] -> int32[2]",
                "CAST[int32[2]] -> float32[2]");
    }

    @Test
    void refusesTypesNnapiLacks() {
        g.isRefused(g.op("aten::to", g.floats(2), DType.INT64.code(), false, false, null), "int64");
    }

    @Test
    void devicesAreIgnored() {
        g.lowersTo(
                g.op("aten::relu", g.op("aten::to", g.floats(2), TorchDevice.CPU, null, false, false, null)),
                "RELU[float32[2]] -> float32[2]");
    }
}
