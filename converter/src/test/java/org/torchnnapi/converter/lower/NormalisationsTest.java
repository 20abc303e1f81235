package org.torchnnapi.converter.lower;

import static org.torchnnapi.converter.partition.FreeUnderTest.random;
import static org.torchnnapi.converter.partition.FreeUnderTest.whole;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.torchnnapi.converter.partition.FreeUnderTest;
import org.torchnnapi.tensor.Tensor;

class NormalisationsTest {
    private static final Tensor X = random(2, 4, 5, 6);
    private static final List<Tensor> WEIGHTS =
            List.of(random(4), random(4), random(4), Tensor.of(new float[] {1, 2, 0.5f, 3}, 4), random(4, 4, 1, 1));

    @Test
    void batchesThatDoNotFold() {
        whole(
                "MUL ADD",
                X,
                WEIGHTS,
                "torch.batch_norm(x, CONSTANTS.c0, CONSTANTS.c1, CONSTANTS.c2, CONSTANTS.c3, False, 0.1, 1e-05, True)");
        whole(
                "LOGISTIC MUL MUL ADD CONV_2D",
                X,
                WEIGHTS,
                "torch.conv2d(torch.batch_norm(torch.silu(x), None, None, CONSTANTS.c2, CONSTANTS.c3, False, 0.1, "
                        + "1e-05, True), CONSTANTS.c4, None)");
    }

    @Test
    void layers() {
        whole(X, List.of(random(6), random(6)), "torch.layer_norm(x, [6], CONSTANTS.c0, CONSTANTS.c1)");
        whole(X, List.of(random(5, 6)), "torch.layer_norm(x, [5, 6], CONSTANTS.c0, None)");
        whole(
                X,
                WEIGHTS,
                "y = torch.permute(torch.conv2d(x, CONSTANTS.c4, None), [0, 2, 3, 1])",
                "torch.layer_norm(y, [4], CONSTANTS.c0, CONSTANTS.c1)");
    }

    @Test
    void groupsAndInstances() {
        whole(X, WEIGHTS, "torch.group_norm(x, 2, CONSTANTS.c0, CONSTANTS.c1)");
        whole(X, WEIGHTS, "torch.instance_norm(x, CONSTANTS.c0, CONSTANTS.c1, None, None, True, 0.1, 1e-05, True)");
    }

    @Test
    void instancesOfImagesLieAsConvolutionsHaveThem() {
        whole(
                "CONV_2D MEAN SUB MUL MEAN ADD RSQRT MUL MUL ADD CONV_2D",
                X,
                WEIGHTS,
                "y = torch.instance_norm(torch.conv2d(x, CONSTANTS.c4, None), CONSTANTS.c0, CONSTANTS.c1, None, "
                        + "None, True, 0.1, 1e-05, True)",
                "torch.conv2d(y, CONSTANTS.c4, None)");
        FreeUnderTest.wholeAt(
                27,
                X,
                WEIGHTS,
                "torch.instance_norm(torch.conv2d(x, CONSTANTS.c4, None), None, None, None, None, True, 0.1, 1e-05, "
                        + "True)");
    }
}
