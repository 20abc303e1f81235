package org.torchnnapi.converter.compat;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.torchnnapi.converter.model.LoweredModel;
import org.torchnnapi.tensor.Tensor;

class CompatLinearLoweringTest {
    private final GraphUnderTest g = new GraphUnderTest();
    private final Tensor weight = Tensor.of(new float[] {1, 2, 3, 4, 5, 6}, 2, 3);

    @Test
    void linearKeepsItsWeights() {
        g.lowersTo(
                g.op("aten::linear", g.floats(4, 3), weight, Tensor.of(new float[2], 2)),
                "FULLY_CONNECTED[float32[4, 3], float32[2, 3], float32[2], 0] -> float32[4, 2]");
    }

    @Test
    void addmmTurnsThem() {
        LoweredModel model = g.model(g.op("aten::addmm", Tensor.of(new float[3], 3), g.floats(0, 2), weight, 1, 1));
        assertEquals(
                "FULLY_CONNECTED[float32[?, 2], float32[3, 2], float32[3], 0] -> float32[?, 3]",
                GraphUnderTest.text(model).get(0));
        assertArrayEquals(
                new float[] {1, 4, 2, 5, 3, 6}, model.model().weights().get(1).toFloatArray());
    }

    @Test
    void refusesFactorsRanksAndSizes() {
        g.isRefused(g.op("aten::addmm", Tensor.of(new float[3], 3), g.floats(1, 2), weight, 2, 1), "beta");
        GraphUnderTest rank = new GraphUnderTest();
        rank.isRefused(rank.op("aten::linear", rank.floats(1, 2, 3), weight, Tensor.of(new float[2], 2)), "matrix");
        GraphUnderTest size = new GraphUnderTest();
        size.isRefused(
                size.op("aten::linear", size.floats(1, 4), weight, Tensor.of(new float[2], 2)), "sizes must fit");
    }
}
