package org.torchnnapi.program.op;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.torchnnapi.kernels.Clamp;
import org.torchnnapi.kernels.ConvShape;
import org.torchnnapi.kernels.ImageLayout;
import org.torchnnapi.program.ImageStorage;
import org.torchnnapi.program.Op;
import org.torchnnapi.program.Operands;
import org.torchnnapi.program.PlacedValue;
import org.torchnnapi.program.ValueType;

/** Each weight counts once for every pixel, row or step that it is multiplied with. */
class WeightWorkTest {
    private static long timesMultiplied(Op op, ValueType... inputs) {
        List<PlacedValue> in = Arrays.stream(inputs)
                .map(type -> new PlacedValue(type, ImageStorage.DECLARED, null, -1))
                .toList();
        Operands operands =
                new Operands(in, new PlacedValue(op.result(List.of(inputs)), ImageStorage.DECLARED, null, -1));
        assertEquals(0, op.weightWork(operands) % op.packedBytes(operands));
        return op.weightWork(operands) / op.packedBytes(operands);
    }

    private static ConvolutionOp convolution(ImageLayout order, boolean transposed) {
        ConvShape shape = new ConvShape(4, 6, 5, 3, 2, 2, 2, 2, 1, 1, 0, 0, 0, 0, 1, transposed, 0, 0);
        return new ConvolutionOp(shape, order, new float[4 * 3 * 2 * 2], null, Clamp.NONE);
    }

    @Test
    void ofConvolutionsByPixelInEitherOrder() {
        assertEquals(7 * 3 * 2, timesMultiplied(convolution(ImageLayout.NCHW, false), ValueType.floats(7, 4, 6, 5)));
        assertEquals(7 * 3 * 2, timesMultiplied(convolution(ImageLayout.NHWC, false), ValueType.floats(7, 6, 5, 4)));
        assertEquals(7 * 6 * 5, timesMultiplied(convolution(ImageLayout.NCHW, true), ValueType.floats(7, 4, 6, 5)));
    }

    @Test
    void ofLayersByRow() {
        assertEquals(
                5 * 3, timesMultiplied(new LinearOp(2, 4, new float[8], null, Clamp.NONE), ValueType.floats(5, 3, 2)));
        assertEquals(1, timesMultiplied(new LinearOp(2, 4, new float[8], null, Clamp.NONE), ValueType.floats(2)));
    }

    @Test
    void ofRecurrentLayersByStepAndSequence() {
        LstmWeights weights = new LstmWeights(2, 2, false, new float[16], null, null, null, null, null);
        assertEquals(
                9 * 3,
                timesMultiplied(
                        new LstmStepsOp(weights, CellFunction.TANH, Clamp.NONE, Clamp.NONE, false),
                        ValueType.floats(9, 3, 8),
                        ValueType.floats(3, 2),
                        ValueType.floats(3, 2)));
    }

    @Test
    void ofNormalizationsByWhatIsNormalizedTogether() {
        assertEquals(7 * 5, timesMultiplied(new LayerNormOp(6, 1e-5f, null, null), ValueType.floats(7, 5, 2, 3)));
        assertEquals(
                7 * 5 * 2,
                timesMultiplied(new GroupNormOp(2, 1e-5f, new float[4], new float[4]), ValueType.floats(7, 4, 5, 2)));
    }
}
