package org.torchnnapi.converter.free;

import static org.torchnnapi.converter.free.FreeUnderTest.random;
import static org.torchnnapi.converter.free.FreeUnderTest.whole;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.torchnnapi.tensor.Tensor;

class ShapesTest {
    private static final Tensor X = random(2, 4, 6, 5);
    private static final Tensor WEIGHT = random(4, 4, 1, 1);
    private static final String IMAGE = "y = torch.conv2d(torch.silu(x), CONSTANTS.c0, None)";

    @Test
    void permutationsOfImagesCostNothing() {
        whole("LOGISTIC MUL CONV_2D", X, List.of(WEIGHT), IMAGE, "torch.permute(y, [0, 2, 3, 1])");
        whole("LOGISTIC MUL CONV_2D EXP CONV_2D", X, List.of(WEIGHT), IMAGE, "z = torch.exp(torch.permute(y, [0, 2, 3, 1]))",
            "torch.conv2d(torch.permute(z, [0, 3, 1, 2]), CONSTANTS.c0, None)");
    }

    @Test
    void imagesAreReshapedInPyTorchsOrder() {
        for (String expression : new String[] {"torch.flatten(y, 1)", "torch.reshape(y, [2, 2, 2, 30])", "torch.transpose(torch.flatten(y, 2), 1, 2)",
            "torch.unsqueeze(torch.select(y, 1, 2), 0)", "torch.squeeze(torch.mean(y, [2, 3], True))", "torch.reshape(y, [-1])", "torch.t(torch.flatten(y, 1))"}) {
            whole(X, List.of(WEIGHT), IMAGE, expression);
        }
    }

    @Test
    void manyDimensionsMove() {
        whole(X, List.of(WEIGHT), IMAGE, "z = torch.reshape(y, [2, 2, 2, 3, 2, 5])", "torch.reshape(torch.permute(z, [0, 3, 5, 1, 4, 2]), [2, 15, 8])");
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
