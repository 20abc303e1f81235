package org.torchnnapi.converter.compat;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.torchnnapi.converter.model.LoweredModel;
import org.torchnnapi.torchscript.ir.Value;

class CompatSliceLoweringTest {
    private final GraphUnderTest g = new GraphUnderTest();

    @Test
    void slicesOneDimension() {
        g.lowersTo(
                g.op("aten::slice", g.floats(4, 6), 1, 1, 5, 2),
                "STRIDED_SLICE[float32[4, 6], [0, 1], [4, 5], [1, 2], 0, 0, 0] -> float32[4, 2]");
    }

    @Test
    void oddLengthsRoundUp() {
        g.lowersTo(
                g.op("aten::slice", g.floats(5), 0, 0, Long.MAX_VALUE, 2),
                "STRIDED_SLICE[float32[5], [0], [5], [2], 0, 0, 0] -> float32[3]");
    }

    @Test
    void negativeAndFarIndexesAreClamped() {
        g.lowersTo(
                g.op("aten::slice", g.floats(4, 6), -1, -3, 100, 1),
                "STRIDED_SLICE[float32[4, 6], [0, 3], [4, 6], [1, 1], 0, 0, 0] -> float32[4, 3]");
    }

    @Test
    void nhwcSlicesInItsOwnOrder() {
        g.lowersTo(
                g.op("aten::slice", g.nhwc(1, 6, 4, 5), 1, 2, 4, 1),
                "STRIDED_SLICE[float32[1, 6, 4, 5] NHWC, [0, 0, 0, 2], [1, 4, 5, 4], [1, 1, 1, 1], 0, 0, 0] -> "
                        + "float32[1, 2, 4, 5] NHWC");
    }

    @Test
    void aWholeSliceIsTheTensorItself() {
        Value x = g.floats(4, 0);
        LoweredModel model = g.model(g.op("aten::relu", g.op("aten::slice", x, 1, null, null, 1)));
        assertEquals(1, model.model().operations().size());
    }

    @Test
    void flexibleDimensionsAreMasked() {
        assertEquals(
                "STRIDED_SLICE[float32[?, 6], [0, 1], [0, 3], [1, 1], 0, 1, 0] -> float32[?, 2]",
                GraphUnderTest.text(g.model(g.op("aten::slice", g.floats(0, 6), 1, 1, 3, 1)))
                        .get(0));
    }

    @Test
    void refusesFlexibleAndEmptySlices() {
        g.isRefused(g.op("aten::slice", g.floats(0, 6), 0, 1, 3, 1), "fixed dimension 0");
        GraphUnderTest empty = new GraphUnderTest();
        empty.isRefused(empty.op("aten::slice", empty.floats(4, 6), 1, 4, 4, 1), "empty");
    }
}
