package org.torchnnapi.converter.compat;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.torchnnapi.converter.input.InputSpec;
import org.torchnnapi.converter.model.LoweredModel;
import org.torchnnapi.converter.shape.PythonShapeText;

class CompatConcatenationLoweringTest {
    private final GraphUnderTest g = new GraphUnderTest();

    @Test
    void joinsAlongChannelsOfNhwc() {
        g.lowersTo(
                g.op("aten::cat", g.list(g.nhwc(1, 2, 4, 4), g.nhwc(1, 3, 4, 4)), 1),
                "CONCATENATION[float32[1, 2, 4, 4] NHWC, float32[1, 3, 4, 4] NHWC, 3] -> float32[1, 5, 4, 4] NHWC");
    }

    @Test
    void addsFlexibleSizes() {
        LoweredModel model = g.model(g.op("aten::cat", g.list(g.floats(0, 3), g.floats(0, 3)), 0));
        assertEquals(
                "s_4_0 = s_2_0 + s_3_0",
                PythonShapeText.lines(model.model().shapes()).get(2));
    }

    @Test
    void anOpenSizeBesideFixedOnesMustBeEmpty() {
        LoweredModel model = g.model(g.op("aten::cat", g.list(g.floats(0, 3), g.floats(2, 3)), 0));
        assertEquals(
                "assert s_2_0 == 0",
                PythonShapeText.lines(model.model().shapes()).get(1));
    }

    @Test
    void refusesMixedLayoutsAndSizes() {
        g.isRefused(g.op("aten::cat", g.list(g.nhwc(1, 2, 4, 4), g.floats(1, 2, 4, 4)), 1), "memory format");
        GraphUnderTest sizes = new GraphUnderTest();
        sizes.isRefused(sizes.op("aten::cat", sizes.list(sizes.floats(2, 3), sizes.floats(2, 4)), 0), "other sizes");
    }

    @Test
    void negativeDimensionsCountFromTheEnd() {
        GraphUnderTest g = new GraphUnderTest();
        g.lowersTo(
                g.op("aten::cat", g.list(g.floats(2, 3), g.floats(2, 4)), -1),
                "CONCATENATION[float32[2, 3], float32[2, 4], 1] -> float32[2, 7]");
    }

    @Test
    void quantizedPartsMayHaveOtherScales() {
        g.lowersTo(
                g.op(
                        "quantized::cat",
                        g.list(g.input(InputSpec.quantized(0.5, 3, 2)), g.input(InputSpec.quantized(0.25, 7, 3))),
                        0,
                        0.75,
                        9),
                "CONCATENATION[quint8[2]*0.5@3, quint8[3]*0.25@7, 0] -> quint8[5]*0.75@9");
    }
}
