package org.torchnnapi.converter.compat;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.torchnnapi.converter.model.LoweredModel;
import org.torchnnapi.converter.shape.PythonShapeText;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Shape;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.Value;

class CompatConvolutionLoweringTest {
    private static final int[] ONE = {1, 1};
    private static final int[] ZERO = {0, 0};
    private final GraphUnderTest g = new GraphUnderTest();

    private static Tensor weights(int... shape) {
        float[] values = new float[(int) Shape.numel(shape)];
        for (int i = 0; i < values.length; i++) {
            values[i] = i;
        }
        return Tensor.of(values, shape);
    }

    private static Value transposed(
            GraphUnderTest g, Value x, Tensor weight, int[] stride, int[] padding, int[] extra, int groups) {
        return g.op(
                "aten::_convolution",
                x,
                weight,
                null,
                stride,
                padding,
                ONE,
                true,
                extra,
                groups,
                false,
                false,
                true,
                true);
    }

    @Test
    void weightsBecomeOutHeightWidthIn() {
        LoweredModel model = g.model(g.op(
                "aten::conv2d",
                g.floats(1, 2, 5, 6),
                weights(3, 2, 2, 1),
                null,
                new int[] {2, 1},
                new int[] {1, 0},
                ONE,
                1));
        assertEquals(
                "CONV_2D[float32[1, 2, 5, 6], float32[3, 2, 1, 2], float32[3], 0, 0, 1, 1, 1, 2, 0, true] -> "
                        + "float32[1, 3, 3, 6]",
                GraphUnderTest.text(model).get(0));
        assertArrayEquals(
                new float[] {0, 2, 1, 3, 4, 6, 5, 7, 8, 10, 9, 11},
                model.model().weights().get(1).toFloatArray());
        assertArrayEquals(new float[3], model.model().weights().get(0).toFloatArray());
    }

    @Test
    void depthwiseWeightsHaveChannelsLast() {
        LoweredModel model =
                g.model(g.op("aten::conv2d", g.nhwc(1, 2, 3, 3), weights(2, 1, 1, 2), weights(2), ONE, ZERO, ONE, 2));
        assertEquals(
                "DEPTHWISE_CONV_2D[float32[1, 2, 3, 3] NHWC, float32[1, 1, 2, 2], float32[2], 0, 0, 0, 0, 1, 1, 1, "
                        + "0, false]"
                        + " -> float32[1, 2, 3, 2] NHWC",
                GraphUnderTest.text(model).get(0));
        assertArrayEquals(
                new float[] {0, 2, 1, 3}, model.model().weights().get(1).toFloatArray());
    }

    @Test
    void transposedConvolutionCoversItsWindows() {
        LoweredModel model =
                g.model(transposed(g, g.floats(1, 2, 4, 0), weights(2, 3, 2, 2), new int[] {2, 2}, ZERO, ZERO, 1));
        assertEquals(
                "TRANSPOSE_CONV_2D[float32[1, 2, 4, ?], float32[3, 2, 2, 2], float32[3], 0, 0, 0, 0, 2, 2, 0, true] "
                        + "-> float32[1, 3, 8, ?]",
                GraphUnderTest.text(model).get(0));
        assertEquals(
                "s_7_3 = (s_2_3 - 1) * 2 + 2 - 0 - 0",
                PythonShapeText.lines(model.model().shapes()).get(1));
    }

    @Test
    void outputPaddingTakesFromThePaddingAtTheEnd() {
        g.lowersTo(
                transposed(g, g.floats(1, 1, 4, 4), weights(1, 1, 3, 3), new int[] {2, 2}, ONE, ONE, 1),
                "TRANSPOSE_CONV_2D[float32[1, 1, 4, 4], float32[1, 3, 3, 1], float32[1], 1, 0, 1, 0, 2, 2, 0, true] "
                        + "-> float32[1, 1, 8, 8]");
    }

    @Test
    void refusesDilationGroupsMultipliersAndDepthwiseTransposes() {
        g.isRefused(
                g.op("aten::conv2d", g.floats(1, 1, 9, 9), weights(1, 1, 3, 3), null, ONE, ZERO, new int[] {2, 2}, 1),
                "dilation [2, 2]");
        GraphUnderTest groups = new GraphUnderTest();
        groups.isRefused(
                groups.op("aten::conv2d", groups.floats(1, 4, 3, 3), weights(4, 2, 1, 1), null, ONE, ZERO, ONE, 2),
                "groups 2");
        GraphUnderTest multiplier = new GraphUnderTest();
        multiplier.isRefused(
                multiplier.op(
                        "aten::conv2d", multiplier.floats(1, 2, 3, 3), weights(4, 1, 1, 1), null, ONE, ZERO, ONE, 2),
                "multiplier");
        GraphUnderTest depthwise = new GraphUnderTest();
        depthwise.isRefused(
                transposed(depthwise, depthwise.floats(1, 2, 3, 3), weights(2, 1, 2, 2), ONE, ZERO, ZERO, 2),
                "one group");
        GraphUnderTest padding = new GraphUnderTest();
        padding.isRefused(
                transposed(padding, padding.floats(1, 1, 3, 3), weights(1, 1, 3, 3), new int[] {2, 2}, ZERO, ONE, 1),
                "output_padding");
    }

    @Test
    void refusesOtherDimensionsAndTypes() {
        g.isRefused(g.op("aten::conv2d", g.floats(1, 1, 9), weights(1, 1, 3, 3), null, ONE, ZERO, ONE, 1), "rank 4");
        GraphUnderTest wide = new GraphUnderTest();
        wide.isRefused(
                wide.op(
                        "aten::conv2d",
                        wide.floats(1, 1, 9, 9),
                        Tensor.zeros(DType.FLOAT64, 1, 1, 3, 3),
                        null,
                        ONE,
                        ZERO,
                        ONE,
                        1),
                "float64");
    }
}
