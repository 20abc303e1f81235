package org.torchnnapi.converter.compat;

import org.junit.jupiter.api.Test;

class CompatMeanLoweringTest {
    private final GraphUnderTest g = new GraphUnderTest();

    @Test
    void meanOverPixelsLeavesNhwc() {
        g.lowersTo(
                g.op("aten::mean", g.nhwc(1, 2, 3, 4), new int[] {2, -1}, false, null),
                "MEAN[float32[1, 2, 3, 4] NHWC, [1, 2], 0] -> float32[1, 2]");
    }

    @Test
    void keptDimensionsStayNhwc() {
        g.lowersTo(
                g.op("aten::mean", g.nhwc(1, 2, 3, 4), new int[] {1}, true, null),
                "MEAN[float32[1, 2, 3, 4] NHWC, [3], 1] -> float32[1, 1, 3, 4] NHWC");
    }

    @Test
    void refusesWhatLeavesNoKnownOrder() {
        g.isRefused(g.op("aten::mean", g.nhwc(1, 2, 3, 4), new int[] {2}, false, null), "height and width");
        GraphUnderTest all = new GraphUnderTest();
        all.isRefused(all.op("aten::mean", all.floats(2, 3), new int[] {0, 1}, false, null), "not all");
        GraphUnderTest none = new GraphUnderTest();
        none.isRefused(none.op("aten::mean", none.floats(2, 3), new int[] {}, false, null), "not all");
    }
}
