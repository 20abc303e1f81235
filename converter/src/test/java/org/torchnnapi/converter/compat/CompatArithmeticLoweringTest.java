package org.torchnnapi.converter.compat;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.torchnnapi.converter.input.InputSpec;
import org.torchnnapi.converter.model.LoweredModel;
import org.torchnnapi.converter.shape.PythonShapeText;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;

class CompatArithmeticLoweringTest {
    private final GraphUnderTest g = new GraphUnderTest();

    @Test
    void broadcastsWhereOneSizeIsOne() {
        g.lowersTo(
                g.op("aten::add", g.floats(2, 1, 3), g.floats(1, 4, 3), 1),
                "ADD[float32[2, 1, 3], float32[1, 4, 3], 0] -> float32[2, 4, 3]");
    }

    @Test
    void subtractsAndMultipliesConstantsStoredInTheOperandsLayout() {
        Object x = g.nhwc(1, 2, 3, 4);
        LoweredModel model = g.model(g.op(
                "aten::mul",
                g.op("aten::sub", x, Tensor.zeros(DType.FLOAT32, 1, 2, 3, 4), 1),
                Tensor.zeros(DType.FLOAT32, 1, 2, 1, 1)));
        assertEquals(
                List.of("[1, 3, 4, 2]", "[1, 1, 1, 2]"),
                model.model().weights().stream()
                        .map(w -> Arrays.toString(w.sizes()))
                        .toList());
    }

    @Test
    void turnsOnePixelToNhwc() {
        g.lowersTo(
                g.op("aten::mul", g.nhwc(1, 2, 3, 4), g.floats(1, 2, 1, 1)),
                "TRANSPOSE[float32[1, 2, 1, 1], [0, 2, 3, 1]] -> float32[1, 2, 1, 1] NHWC",
                "MUL[float32[1, 2, 3, 4] NHWC, float32[1, 2, 1, 1] NHWC, 0] -> float32[1, 2, 3, 4] NHWC");
    }

    @Test
    void checksFlexibleSizesAgainstEachOther() {
        LoweredModel model = g.model(g.op("aten::add", g.floats(0, 3), g.floats(0, 3), 1));
        assertEquals(
                List.of(
                        "s_2_0 = args[0].shape[0]",
                        "s_3_0 = args[1].shape[0]",
                        "assert s_2_0 == s_3_0",
                        "s_4_0 = s_2_0"),
                PythonShapeText.lines(model.model().shapes()).subList(0, 4));
    }

    @Test
    void refusesRanksScalarsFactorsAndIntegerDivision() {
        g.isRefused(g.op("aten::add", g.floats(2, 3), g.floats(3), 1), "one rank");
        GraphUnderTest scalar = new GraphUnderTest();
        scalar.isRefused(scalar.op("aten::mul", scalar.floats(2), 0.5), "must be tensors", "0.5");
        GraphUnderTest factor = new GraphUnderTest();
        factor.isRefused(factor.op("aten::add", factor.floats(2), factor.floats(2), 2), "alpha");
        GraphUnderTest division = new GraphUnderTest();
        division.isRefused(
                division.op(
                        "aten::div",
                        division.input(InputSpec.of(DType.INT32, 2)),
                        division.input(InputSpec.of(DType.INT32, 2))),
                "real result");
    }

    @Test
    void refusesSizesThatDoNotMatch() {
        g.isRefused(g.op("aten::add", g.floats(2, 3), g.floats(2, 4), 1), "dimension 1");
    }
}
