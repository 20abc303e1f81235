package org.torchnnapi.execution.tracing.lower;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.torchnnapi.execution.tracing.Agreement.floats;
import static org.torchnnapi.execution.tracing.Agreement.lowered;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.torchnnapi.kernels.ConvShape;
import org.torchnnapi.kernels.Kernels;

class PhasedConvolutionTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "1, 9, 9; [3, 3], [4, 4], [2, 2]",
                "2, 4, 4; [2, 2], [1, 1], [0, 0]",
                "1, 2, 2; [2, 2], [0, 0], [0, 0]",
                "2, 3, 3; [2, 2], [1, 1], [1, 1]",
                "1, 3, 2; [2, 3], [0, 0], [1, 0]",
                "2, 1, 1; [2, 2], [0, 0], [0, 0]",
                "1, 5, 3; [1, 2], [2, 0], [0, 1]",
                "1, 3, 3; [4, 4], [3, 2], [3, 1]"
            })
    void agreesWithTheTransposed(String sizes, String geometry) {
        String[] parts = sizes.split(", ");
        int outs = Integer.parseInt(parts[0]);
        Object[] constants = {floats(5, outs, Integer.parseInt(parts[1]), Integer.parseInt(parts[2])), floats(outs)};
        lowered(
                "torch.conv_transpose2d(x, CONSTANTS.c0, CONSTANTS.c1, " + geometry + ")",
                constants,
                floats(2, 5, 6, 7));
        lowered("torch.conv_transpose2d(x, CONSTANTS.c0, None, " + geometry + ")", constants, floats(1, 5, 3, 3));
    }

    @Test
    void sequences() {
        lowered(
                "torch.conv_transpose1d(x, CONSTANTS.c0, CONSTANTS.c1, [4], [2])",
                new Object[] {floats(6, 1, 8), floats(1)},
                floats(2, 6, 9));
    }

    @Test
    void onlyFewChannelsWithStrides() {
        ConvShape shape = ConvShape.of(8, 4, 4, 1, 4, 4).transposed(0, 0);
        assertEquals(Kernels.channelBlock() >= 2, PhasedConvolution.suits(shape.stride(2, 2)));
        assertFalse(PhasedConvolution.suits(shape));
        assertFalse(PhasedConvolution.suits(shape.stride(2, 2).dilation(2, 1)));
        assertFalse(PhasedConvolution.suits(ConvShape.of(8, 4, 4, Kernels.channelBlock(), 4, 4)
                .transposed(0, 0)
                .stride(2, 2)));
        assertFalse(PhasedConvolution.suits(ConvShape.of(8, 9, 9, 1, 4, 4).stride(2, 2)));
    }
}
