package org.torchnnapi.converter.compat;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.torchnnapi.converter.model.LoweredModel;
import org.torchnnapi.converter.shape.PythonShapeText;
import org.torchnnapi.torchscript.ir.Type;

class CompatReshapeLoweringTest {
    private final GraphUnderTest g = new GraphUnderTest();

    @Test
    void reshapeInfersOneSize() {
        g.lowersTo(
                g.op("aten::reshape", g.floats(2, 3, 4), new int[] {4, -1}),
                "RESHAPE[float32[2, 3, 4], [4, -1]] -> float32[4, 6]");
    }

    @Test
    void reshapeTakesSizesOfOtherTensors() {
        Object x = g.floats(2, 3, 4);
        Object batch = g.op(Type.Basic.INT, "aten::size", x, 0);
        Object shape = g.op(Type.list(Type.Basic.INT), "prim::ListConstruct", batch, -1);
        g.lowersTo(g.op("aten::reshape", x, shape), "RESHAPE[float32[2, 3, 4], [2, -1]] -> float32[2, 12]");
    }

    @Test
    void sizeWithoutDimensionIsAList() {
        Object sizes = g.op(Type.list(Type.Basic.INT), "aten::size", g.floats(2, 3));
        g.lowersTo(g.op("aten::reshape", g.floats(6), sizes), "RESHAPE[float32[6], [2, 3]] -> float32[2, 3]");
    }

    @Test
    void reshapeRefusesWrongCountsAndNhwc() {
        g.isRefused(g.op("aten::reshape", g.floats(2, 3), new int[] {4, 2}), "6 elements");
        GraphUnderTest nhwc = new GraphUnderTest();
        nhwc.isRefused(nhwc.op("aten::reshape", nhwc.nhwc(1, 2, 3, 3), new int[] {1, -1}), "reorder");
    }

    @Test
    void reshapeOfOnePixelLeavesNhwc() {
        g.lowersTo(
                g.op("aten::reshape", g.nhwc(4, 2, 1, 1), new int[] {8, -1}),
                "RESHAPE[float32[4, 2, 1, 1] NHWC, [8, -1]] -> float32[8, 1]");
    }

    @Test
    void flattenForwardsOneFlexibleSize() {
        LoweredModel model = g.model(g.op("aten::flatten", g.floats(0, 3, 4), 1, -1));
        assertEquals(
                "s_3_0 = s_2_0", PythonShapeText.lines(model.model().shapes()).get(1));
        assertEquals(
                "RESHAPE[float32[?, 3, 4], [-1, 12]] -> float32[?, 12]",
                GraphUnderTest.text(model).get(0));
    }

    @Test
    void flattenRefusesFlexibleInsideTwoFlexibleAndNhwc() {
        g.isRefused(g.op("aten::flatten", g.floats(2, 0, 4), 1, 2), "fixed dimension 1");
        GraphUnderTest two = new GraphUnderTest();
        two.isRefused(two.op("aten::flatten", two.floats(0, 0, 4, 5), 2, 3), "at most one");
        GraphUnderTest nhwc = new GraphUnderTest();
        nhwc.isRefused(nhwc.op("aten::flatten", nhwc.nhwc(1, 2, 3, 3), 1, -1), "reorder");
    }

    @Test
    void unsqueezeCountsFromTheEnd() {
        g.lowersTo(g.op("aten::unsqueeze", g.floats(2, 3), -2), "EXPAND_DIMS[float32[2, 3], -2] -> float32[2, 1, 3]");
    }

    @Test
    void refusesDimensionsThatDoNotExist() {
        g.isRefused(g.op("aten::unsqueeze", g.floats(2, 3), 3), "dimension 3", "-3 to 2");
    }
}
