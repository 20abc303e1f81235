package org.torchnnapi.converter.lower;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.torchnnapi.converter.partition.FreeUnderTest.random;
import static org.torchnnapi.converter.partition.FreeUnderTest.whole;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.torchnnapi.tensor.Tensor;

class ShapesTest {
    private static final Tensor X = random(2, 4, 6, 5);
    private static final Tensor WEIGHT = random(4, 4, 1, 1);
    private static final String IMAGE = "y = torch.conv2d(torch.silu(x), CONSTANTS.c0, None)";

    @Test
    void permutationsOfImagesCostNothing() {
        whole("LOGISTIC MUL CONV_2D", X, List.of(WEIGHT), IMAGE, "torch.permute(y, [0, 2, 3, 1])");
        whole(
                "LOGISTIC MUL CONV_2D EXP CONV_2D",
                X,
                List.of(WEIGHT),
                IMAGE,
                "z = torch.exp(torch.permute(y, [0, 2, 3, 1]))",
                "torch.conv2d(torch.permute(z, [0, 3, 1, 2]), CONSTANTS.c0, None)");
    }

    @Test
    void imagesAreReshapedInPyTorchsOrder() {
        for (String expression : new String[] {
            "torch.flatten(y, 1)",
            "torch.reshape(y, [2, 2, 2, 30])",
            "torch.transpose(torch.flatten(y, 2), 1, 2)",
            "torch.unsqueeze(torch.select(y, 1, 2), 0)",
            "torch.squeeze(torch.mean(y, [2, 3], True))",
            "torch.reshape(y, [-1])",
            "torch.t(torch.flatten(y, 1))"
        }) {
            whole(X, List.of(WEIGHT), IMAGE, expression);
        }
    }

    @Test
    void shapesThatKeepDimensionsApartKeepTheirOrder() {
        whole("LOGISTIC MUL CONV_2D RESHAPE", X, List.of(WEIGHT), IMAGE, "torch.transpose(torch.flatten(y, 2), 1, 2)");
        whole(
                "LOGISTIC MUL CONV_2D RESHAPE EXP RESHAPE CONV_2D",
                X,
                List.of(WEIGHT),
                IMAGE,
                "z = torch.exp(torch.transpose(torch.flatten(y, 2), 1, 2))",
                "torch.conv2d(torch.reshape(torch.transpose(z, 1, 2), [2, 4, 6, 5]), CONSTANTS.c0, None)");
        whole(
                "LOGISTIC MUL CONV_2D RESHAPE FULLY_CONNECTED RESHAPE",
                X,
                List.of(WEIGHT, random(3, 4)),
                IMAGE,
                "torch.linear(torch.transpose(torch.flatten(y, 2), 1, 2), CONSTANTS.c1, None)");
    }

    @Test
    void windowsOfAnImageAreOneTranspositionEachWay() {
        String cut = "z = torch.permute(torch.reshape(y, [2, 4, 3, 2, 2, 3]), [0, 2, 4, 3, 5, 1])";
        String back =
                "torch.reshape(torch.permute(torch.reshape(w, [2, 3, 2, 2, 3, 4]), [0, 5, 1, 3, 2, 4]), [2, 4, 6, 6])";
        whole(
                "LOGISTIC MUL CONV_2D RESHAPE TRANSPOSE RESHAPE EXP RESHAPE TRANSPOSE RESHAPE CONV_2D",
                random(2, 4, 6, 6),
                List.of(WEIGHT),
                IMAGE,
                cut,
                "w = torch.exp(torch.reshape(z, [12, 6, 4]))",
                "torch.conv2d(" + back + ", CONSTANTS.c0, None)");
    }

    @Test
    void everyOrderOfManyDimensions() {
        Tensor five = random(2, 3, 4, 5, 2);
        orders(5, new ArrayList<>(), order -> {
            List<String> made = whole(five, List.of(), "torch.permute(torch.add(x, x), " + order + ")");
            assertTrue(made.stream().filter("TRANSPOSE"::equals).count() <= 3, order + " by " + made);
        });
        whole(random(2, 3, 2, 3, 2, 3), List.of(), "torch.permute(torch.add(x, x), [5, 3, 1, 4, 2, 0])");
        whole(random(2, 3, 2, 3, 2, 3, 2), List.of(), "torch.permute(torch.add(x, x), [6, 2, 5, 1, 4, 0, 3])");
    }

    private static void orders(int count, List<Integer> begun, Consumer<List<Integer>> use) {
        if (begun.size() == count) {
            use.accept(begun);
        }
        for (int d = 0; d < count; d++) {
            if (!begun.contains(d)) {
                begun.add(d);
                orders(count, begun, use);
                begun.remove(begun.size() - 1);
            }
        }
    }

    @Test
    void pixelsOfImagesAreShuffledByOneOperation() {
        whole("LOGISTIC MUL CONV_2D DEPTH_TO_SPACE", X, List.of(WEIGHT), IMAGE, "torch.pixel_shuffle(y, 2)");
        String end = "torch.conv2d(torch.pixel_%s(y, 2), CONSTANTS.c1, None)";
        whole(
                "LOGISTIC MUL CONV_2D RESHAPE TRANSPOSE RESHAPE DEPTH_TO_SPACE CONV_2D",
                X,
                List.of(random(12, 4, 1, 1), random(2, 3, 1, 1)),
                IMAGE,
                end.formatted("shuffle"));
        whole(
                "LOGISTIC MUL CONV_2D SPACE_TO_DEPTH RESHAPE TRANSPOSE RESHAPE CONV_2D",
                random(2, 3, 6, 4),
                List.of(random(3, 3, 1, 1), random(2, 12, 1, 1)),
                IMAGE,
                end.formatted("unshuffle"));
    }

    @Test
    void manyDimensionsMove() {
        whole(
                X,
                List.of(WEIGHT),
                IMAGE,
                "z = torch.reshape(y, [2, 2, 2, 3, 2, 5])",
                "torch.reshape(torch.permute(z, [0, 3, 5, 1, 4, 2]), [2, 15, 8])");
        whole(random(2, 3, 2, 5, 2), List.of(), "torch.permute(x, [4, 3, 2, 1, 0])");
        whole(X, List.of(WEIGHT), IMAGE, "torch.pixel_shuffle(y, 2)");
        whole(X, List.of(), "torch.pixel_unshuffle(torch.silu(torch.slice(x, 3, 0, 4)), 2)");
        whole(X, List.of(WEIGHT), IMAGE, "torch.channel_shuffle(y, 2)");
    }

    @Test
    void repetitions() {
        whole(random(2, 1, 3, 1), List.of(), "torch.silu(torch.expand(x, [2, 4, 3, 5]))");
        whole(random(2, 3), List.of(), "torch.repeat(x, [2, 3, 2])");
        whole(random(1, 1, 6), List.of(), "torch.expand(x, [4, -1, -1])");
    }
}
