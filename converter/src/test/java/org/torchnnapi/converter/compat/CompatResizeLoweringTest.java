package org.torchnnapi.converter.compat;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.torchnnapi.converter.model.LoweredModel;
import org.torchnnapi.converter.shape.PythonShapeText;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.value.ScriptList;

class CompatResizeLoweringTest {
    private final GraphUnderTest g = new GraphUnderTest();

    private static ScriptList factors(Double... values) {
        return new ScriptList(Type.Basic.FLOAT, List.of(values));
    }

    @Test
    void toASizeWidthFirst() {
        g.lowersTo(
                g.op("aten::upsample_nearest2d", g.nhwc(1, 2, 4, 5), new int[] {8, 11}, null),
                "RESIZE_NEAREST_NEIGHBOR[float32[1, 2, 4, 5] NHWC, 11, 8, false] -> float32[1, 2, 8, 11] NHWC");
    }

    @Test
    void byFactors() {
        g.lowersTo(
                g.op("aten::upsample_nearest2d", g.floats(1, 2, 4, 6), null, factors(2.0, 1.5)),
                "RESIZE_NEAREST_NEIGHBOR[float32[1, 2, 4, 6], 1.5, 2.0, true] -> float32[1, 2, 8, 9]");
    }

    @Test
    void flexibleSizesAreScaled() {
        LoweredModel model = g.model(g.op("aten::upsample_nearest2d", g.floats(1, 2, 0, 6), null, factors(2.0)));
        assertEquals(
                "s_4_2 = int(2.0 * s_2_2)",
                PythonShapeText.lines(model.model().shapes()).get(1));
    }

    @Test
    void refusesFactorsThatRound() {
        g.isRefused(g.op("aten::upsample_nearest2d", g.floats(1, 1, 9, 9), null, factors(1.1)), "1.1", "size 9");
        GraphUnderTest flexible = new GraphUnderTest();
        flexible.isRefused(
                flexible.op("aten::upsample_nearest2d", flexible.floats(1, 1, 0, 3), null, factors(1.5)), "flexible");
    }

    @Test
    void refusesBothAndNeither() {
        g.isRefused(g.op("aten::upsample_nearest2d", g.floats(1, 1, 3, 3), new int[] {6, 6}, factors(2.0)), "both");
        GraphUnderTest neither = new GraphUnderTest();
        neither.isRefused(neither.op("aten::upsample_nearest2d", neither.floats(1, 1, 3, 3), null, null), "neither");
    }
}
