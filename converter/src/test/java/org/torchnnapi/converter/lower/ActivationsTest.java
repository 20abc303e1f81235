package org.torchnnapi.converter.lower;

import static org.torchnnapi.converter.partition.FreeUnderTest.random;
import static org.torchnnapi.converter.partition.FreeUnderTest.whole;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.torchnnapi.converter.partition.FreeUnderTest;
import org.torchnnapi.tensor.Tensor;

class ActivationsTest {
    private static final Tensor X = random(1, 3, 4, 5);

    private static void each(String... expressions) {
        for (String expression : expressions) {
            whole(X, List.of(), expression);
        }
    }

    @Test
    void nnapisOwnOperationsAreTaken() {
        whole("HARD_SWISH", X, List.of(), "torch.hardswish(x)");
        whole("LOGISTIC MUL", X, List.of(), "torch.silu(x)");
        whole("RELU6", X, List.of(), "torch.clamp(x, 0, 6)");
        whole("TANH", X, List.of(), "torch.tanh(x)");
    }

    @Test
    void othersAreComposed() {
        each(
                "torch.hardsigmoid(x)",
                "torch.gelu(x)",
                "torch.gelu(torch.mul(x, 10.), approximate=\"tanh\")",
                "torch.erf(x)",
                "torch.mish(x)",
                "torch.softplus(x)",
                "torch.log_sigmoid(x)",
                "torch.elu(x, 1.5)",
                "torch.leaky_relu(x, 0.1)",
                "torch.leaky_relu(x, -0.5)",
                "torch.clamp(x, -0.5, 0.25)",
                "torch.clamp(x, None, 0.3)",
                "torch.clamp_min(x, 0.1)",
                "torch.clamp_max(x, 0.1)",
                "torch.hardtanh(x, -2., 0.5)");
    }

    @Test
    void boundsOfQuantizedTensorsAreRoundedToTheirScale() {
        for (String clamped : new String[] {
            "torch.clamp(q, -0.52, 0.27)",
            "torch.hardtanh(q, -1., 1.)",
            "torch.clamp(q, 0.1, 1000.)",
            "torch.clamp_min(q, -0.33)",
            "torch.clamp(q, None, 0.12)",
            "torch.clamp(q, 0., 6.)"
        }) {
            whole(X, List.of(), "q = torch.quantize_per_tensor(x, 0.05, 120, 13)", "torch.dequantize(" + clamped + ")");
        }
    }

    @Test
    void largeArgumentsDoNotOverflow() {
        for (String expression : new String[] {
            "torch.gelu(torch.mul(x, 50.))",
            "torch.softplus(torch.mul(x, 50.))",
            "torch.mish(torch.mul(x, 50.))",
            "torch.reciprocal(torch.gelu(torch.add(torch.exp(torch.mul(x, 1000.)), 1.)))",
            "torch.erf(torch.exp(torch.mul(x, 1000.)))",
            "torch.erf(torch.neg(torch.exp(torch.mul(x, 1000.))))"
        }) {
            whole(X, List.of(), expression);
        }
    }

    @Test
    void slopesOfChannelsFollowThem() {
        whole(X, List.of(random(3)), "torch.prelu(torch.silu(x), CONSTANTS.c0)");
    }

    @Test
    void gatesTakeHalves() {
        whole(random(1, 4, 3, 3), List.of(), "torch.glu(x, 1)");
    }

    @Test
    void softmaxTakesAnyDimensionOfAnyRank() {
        whole(X, List.of(random(2, 3, 1, 1)), "torch.softmax(torch.silu(torch.conv2d(x, CONSTANTS.c0, None)), 1)");
        whole(random(2, 3, 2, 4, 5), List.of(), "torch.softmax(x, 2)");
        whole(random(2, 3, 2, 4, 5), List.of(), "torch.log_softmax(x, -1)");
    }

    @Test
    void softplusOfAnEarlyThreshold() {
        for (String how : new String[] {"1, 0.5", "2., -100.", "-1., 1.", "0.5, 2"}) {
            FreeUnderTest.whole(FreeUnderTest.random(2, 3, 4, 5), List.of(), "torch.softplus(x, " + how + ")");
        }
    }

    @Test
    void slopesOfTheChannelsOfVolumes() {
        FreeUnderTest.whole(
                FreeUnderTest.random(1, 3, 2, 4, 5), List.of(FreeUnderTest.random(3)), "torch.prelu(x, CONSTANTS.c0)");
    }

    @Test
    void shareOfASingleNumber() {
        FreeUnderTest.whole(FreeUnderTest.random(1), List.of(), "torch.softmax(torch.squeeze(x), 0)");
        FreeUnderTest.whole(
                FreeUnderTest.random(1),
                List.of(),
                "torch.mul(torch.expand(torch.squeeze(x), annotate(List[int], [])), 2)");
    }

    @Test
    void wholeNumbersAreLimitedAsTheyAre() {
        whole("MAXIMUM", Tensor.of(new int[] {-3, 0, 7, 40_000}, 4), List.of(), "torch.relu(x)");
    }
}
