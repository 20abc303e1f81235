package org.torchnnapi.converter.lower;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.torchnnapi.converter.partition.FreeUnderTest.random;
import static org.torchnnapi.converter.partition.FreeUnderTest.whole;

import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.torchnnapi.converter.Conversion;
import org.torchnnapi.converter.partition.FreeUnderTest;
import org.torchnnapi.tensor.Tensor;

class ConvolutionsTest {
    private static final Tensor X = random(2, 4, 9, 8);

    @Test
    void groupsAndDilation() {
        whole(
                "GROUPED_CONV_2D",
                X,
                List.of(random(6, 2, 3, 3), random(6)),
                "torch.conv2d(x, CONSTANTS.c0, CONSTANTS.c1, [2, 1], [1, 0], [1, 1], 2)");
        whole(
                "CONV_2D",
                X,
                List.of(random(6, 4, 3, 3)),
                "torch.conv2d(x, CONSTANTS.c0, None, [1, 1], [2, 2], [2, 2], 1)");
        whole(
                "DEPTHWISE_CONV_2D",
                X,
                List.of(random(8, 1, 3, 3)),
                "torch.conv2d(x, CONSTANTS.c0, None, [1, 1], [1, 1], [1, 1], 4)");
        whole(
                "DEPTHWISE_CONV_2D",
                X,
                List.of(random(4, 1, 3, 3)),
                "torch.conv2d(x, CONSTANTS.c0, None, [1, 1], [2, 2], [2, 2], 4)");
        whole(
                "STRIDED_SLICE CONV_2D STRIDED_SLICE CONV_2D CONCATENATION",
                X,
                List.of(random(6, 2, 3, 3), random(6)),
                "torch.conv2d(x, CONSTANTS.c0, CONSTANTS.c1, [1, 1], [2, 2], [2, 2], 2)");
    }

    /** As those of unrolled steps are, each transformed anew. */
    @Test
    void equalWeightsAreOneOperand() {
        Conversion conversion = FreeUnderTest.convert(
                FreeUnderTest.module(
                        List.of(random(4, 4, 3, 3), random(4, 4, 3, 3), random(5, 4, 3, 3)),
                        "Tensor",
                        "y = torch.conv2d(x, CONSTANTS.c0, None, [1, 1], [2, 2], [2, 2])",
                        "z = torch.conv2d(y, CONSTANTS.c1, None, [1, 1], [2, 2], [2, 2])",
                        "torch.conv2d(z, CONSTANTS.c2, None, [1, 1], [2, 2], [2, 2])"),
                X);
        assertEquals(
                List.of(4L, 4 * 4 * 9L, 5L, 5 * 4 * 9L),
                conversion.model().model().weights().stream().map(Tensor::numel).collect(Collectors.toList()));
    }

    @Test
    void paddingByName() {
        whole(
                "CONV_2D",
                X,
                List.of(random(3, 4, 4, 3)),
                "torch.conv2d(x, CONSTANTS.c0, None, [1, 1], \"same\", [1, 2], 1)");
    }

    @Test
    void rowsAreImagesOfOneRow() {
        whole(
                random(2, 3, 11),
                List.of(random(5, 3, 3), random(5)),
                "torch.relu(torch.conv1d(x, CONSTANTS.c0, CONSTANTS.c1, [2], [1], [2], 1))");
        whole(
                random(2, 3, 11),
                List.of(random(3, 4, 3), random(4)),
                "torch.conv_transpose1d(x, CONSTANTS.c0, CONSTANTS.c1, [2], [1], [1], 1, [1])");
    }

    @Test
    void transposedOnesHaveGroups() {
        whole(
                "TRANSPOSE_CONV_2D RELU MUL",
                X,
                List.of(random(4, 3, 3, 3), random(3)),
                "torch.mul(torch.relu(torch.conv_transpose2d(x, CONSTANTS.c0, CONSTANTS.c1, [2, 2], [1, 1], [1, 1], "
                        + "1, [1, 1])), 2)");
        whole(
                X,
                List.of(random(4, 3, 2, 2)),
                "torch.conv_transpose2d(x, CONSTANTS.c0, None, [2, 2], [0, 0], [0, 0], 2, [1, 1])");
    }

    @Test
    void transposedByWeightsThatAreComputed() {
        for (String how : new String[] {"1", "2"}) {
            FreeUnderTest.whole(
                    FreeUnderTest.random(1, 4, 5, 6),
                    List.of(FreeUnderTest.random(4, 3, 3, 2)),
                    "w = torch.mul(CONSTANTS.c0, torch.mean(x))",
                    "torch.conv_transpose2d(x, w, None, [2, 1], [1, 0], [1, 0], " + how + ", [1, 1])");
        }
    }
}
