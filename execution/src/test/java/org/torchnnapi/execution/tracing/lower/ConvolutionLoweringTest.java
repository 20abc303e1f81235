package org.torchnnapi.execution.tracing.lower;

import static org.torchnnapi.execution.tracing.Agreement.floats;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.torchnnapi.execution.tracing.Agreement;
import org.torchnnapi.tensor.MemoryFormat;
import org.torchnnapi.tensor.Tensor;

class ConvolutionLoweringTest {
    private static void lowered(String call, Object[] constants, Tensor input) {
        Agreement.loweredAsInDouble(call, constants, input);
    }

    @ParameterizedTest
    @CsvSource({"1, 0, 1, 1", "2, 1, 1, 1", "1, 2, 2, 1", "1, 1, 1, 3", "2, 1, 2, 3"})
    void ofImages(int stride, int padding, int dilation, int groups) {
        Object[] constants = {floats(6, 6 / groups, 3, 3), floats(6)};
        lowered(
                "torch.conv2d(x, CONSTANTS.c0, CONSTANTS.c1, [" + stride + ", " + stride + "], [" + padding + ", 1], ["
                        + dilation + ", 1], " + groups + ")",
                constants,
                floats(2, 6, 9, 11));
    }

    @Test
    void depthwiseAndWithoutBias() {
        lowered(
                "torch.conv2d(x, CONSTANTS.c0, None, [1, 1], [1, 1], [1, 1], 8)",
                new Object[] {floats(8, 1, 3, 3)},
                floats(1, 8, 7, 7));
    }

    @Test
    void channelsLastWeightsTurnTheResult() {
        Tensor weight = floats(4, 3, 3, 3).copy(MemoryFormat.CHANNELS_LAST);
        lowered("torch.conv2d(x, CONSTANTS.c0)", new Object[] {weight}, floats(1, 3, 8, 8));
    }

    @ParameterizedTest
    @CsvSource({"valid", "same"})
    void paddingByName(String name) {
        lowered(
                "torch.conv2d(x, CONSTANTS.c0, CONSTANTS.c1, [1, 1], \"" + name + "\")",
                new Object[] {floats(4, 3, 3, 5), floats(4)},
                floats(1, 3, 8, 8));
    }

    @Test
    void ofSequences() {
        lowered(
                "torch.conv1d(x, CONSTANTS.c0, CONSTANTS.c1, [2], [1])",
                new Object[] {floats(4, 3, 5), floats(4)},
                floats(2, 3, 17));
        lowered("torch.conv_transpose1d(x, CONSTANTS.c0, None, [2])", new Object[] {floats(3, 4, 5)}, floats(2, 3, 7));
    }

    @Test
    void transposed() {
        lowered(
                "torch.conv_transpose2d(x, CONSTANTS.c0, CONSTANTS.c1, [2, 2], [1, 1], [1, 0], 2)",
                new Object[] {floats(6, 2, 3, 3), floats(4)},
                floats(1, 6, 5, 4));
        lowered(
                "torch._convolution(x, CONSTANTS.c0, None, [2, 2], [0, 0], [1, 1], True, [0, 0], 1, False, False, "
                        + "True, True)",
                new Object[] {floats(3, 2, 2, 2)},
                floats(1, 3, 5, 4));
    }
}
