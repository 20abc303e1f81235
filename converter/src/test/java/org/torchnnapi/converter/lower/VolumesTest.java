package org.torchnnapi.converter.lower;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.torchnnapi.converter.partition.FreeUnderTest.random;
import static org.torchnnapi.converter.partition.FreeUnderTest.whole;

import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.torchnnapi.converter.partition.FreeUnderTest;
import org.torchnnapi.tensor.Tensor;

class VolumesTest {
    private static final Tensor X = random(2, 4, 5, 6, 7);

    @Test
    void convolutionsAddTheirPlacesInDepth() {
        whole(
                X,
                List.of(random(3, 4, 3, 3, 3), random(3)),
                "torch.conv3d(x, CONSTANTS.c0, CONSTANTS.c1, [2, 1, 2], [1, 1, 0])");
        whole(
                X,
                List.of(random(3, 4, 1, 3, 3)),
                "torch.relu(torch.conv3d(x, CONSTANTS.c0, None, [1, 1, 1], [0, 1, 1]))");
        whole(
                X,
                List.of(random(3, 4, 3, 1, 1)),
                "torch.conv3d(x, CONSTANTS.c0, None, [1, 1, 1], [2, 0, 0], [2, 1, 1])");
        whole(
                X,
                List.of(random(4, 1, 3, 3, 3)),
                "torch.conv3d(x, CONSTANTS.c0, None, [1, 2, 2], [1, 1, 1], [1, 1, 1], 4)");
        whole(
                X,
                List.of(random(6, 2, 2, 2, 2)),
                "torch.conv3d(x, CONSTANTS.c0, None, [1, 1, 1], [0, 0, 0], [1, 1, 1], 2)");
    }

    @Test
    void whatLiesInThePaddingOfDepthIsNotComputed() {
        String[] call = {"torch.conv3d(x, CONSTANTS.c0, CONSTANTS.c1, [1, 1, 1], [1, 1, 1])"};
        List<Tensor> three = List.of(random(3, 4, 3, 3, 3), random(3));
        assertEquals(List.of("CONV_2D"), convolutions(random(2, 4, 1, 6, 7), three, call));
        assertEquals(
                List.of("CONV_2D", "CONV_2D", "ADD", "CONV_2D", "CONV_2D", "ADD", "CONCATENATION"),
                convolutions(random(1, 4, 2, 6, 7), three, call));
        assertEquals(
                List.of(
                        "CONV_2D",
                        "CONV_2D",
                        "ADD",
                        "CONV_2D",
                        "CONV_2D",
                        "ADD",
                        "CONV_2D",
                        "ADD",
                        "CONV_2D",
                        "CONV_2D",
                        "ADD",
                        "CONCATENATION"),
                convolutions(X, three, call));
        assertEquals(
                List.of("CONV_2D", "CONV_2D", "ADD", "CONV_2D", "CONV_2D", "ADD", "CONV_2D", "ADD", "CONCATENATION"),
                convolutions(
                        random(2, 4, 6, 6, 7),
                        three,
                        "torch.conv3d(x, CONSTANTS.c0, CONSTANTS.c1, [2, 1, 1], [1, 1, 1])"));
        assertEquals(
                List.of("CONV_2D", "CONV_2D", "ADD"),
                convolutions(
                        random(2, 4, 2, 6, 7), three, "torch.conv3d(x, CONSTANTS.c0, None, [3, 1, 1], [1, 1, 1])"));
        // Five places in all parts would be 19 convolutions, of a volume of which little lies in the padding.
        String[] wide = {"torch.conv3d(x, CONSTANTS.c0, CONSTANTS.c1, [1, 1, 1], [2, 1, 1])"};
        List<Tensor> five = List.of(random(3, 4, 5, 3, 3), random(3));
        assertEquals(
                5,
                convolutions(random(1, 4, 9, 6, 7), five, wide).stream()
                        .filter("CONV_2D"::equals)
                        .count());
        assertEquals(
                List.of("CONV_2D", "CONV_2D", "ADD", "CONV_2D", "CONV_2D", "ADD", "CONCATENATION"),
                convolutions(random(2, 4, 2, 6, 7), five, wide));
        // The first window meets padding alone.
        whole(random(1, 4, 2, 6, 7), three, "torch.conv3d(x, CONSTANTS.c0, CONSTANTS.c1, [1, 1, 1], [3, 1, 1])");
        whole(
                random(1, 4, 4, 6, 7),
                three,
                "torch.conv3d(x, CONSTANTS.c0, CONSTANTS.c1, [1, 1, 1], [2, 1, 1], [2, 1, 1])");
    }

    private static List<String> convolutions(Tensor x, List<Tensor> constants, String... call) {
        return whole(x, constants, call).stream()
                .filter(type -> type.equals("CONV_2D") || type.equals("ADD") || type.equals("CONCATENATION"))
                .collect(Collectors.toList());
    }

    @Test
    void tracedConvolutionsAreOverVolumesToo() {
        whole(
                X,
                List.of(random(4, 1, 3, 3, 3)),
                "torch._convolution(x, CONSTANTS.c0, None, [1, 2, 2], [1, 1, 1], [1, 1, 1], False, [0, 0, 0], 4, "
                        + "False, False, True, True)");
    }

    @Test
    void whatFollowsKeepsTheirOrder() {
        List<Tensor> constants =
                List.of(random(4, 4, 1, 1, 1), random(4), random(4), Tensor.of(new float[] {1, 2, 0.5f, 3}, 4));
        whole(
                X,
                constants,
                "y = torch.conv3d(x, CONSTANTS.c0, None)",
                "z = torch.relu(torch.add(y, torch.conv3d(torch.silu(y), CONSTANTS.c0, None)))",
                "torch.flatten(torch.adaptive_avg_pool3d(z, [1, 1, 1]), 1)");
        whole(
                X,
                constants,
                "y = torch.conv3d(x, CONSTANTS.c0, None)",
                "torch.batch_norm(torch.silu(y), CONSTANTS.c1, CONSTANTS.c2, CONSTANTS.c1, CONSTANTS.c3, False, 0.1, "
                        + "1e-05, True)");
        whole(X, constants, "y = torch.conv3d(x, CONSTANTS.c0, None)", "torch.add(torch.mul(y, x), 2)");
        whole(X, constants, "y = torch.conv3d(x, CONSTANTS.c0, None)", "torch.cat([y, x], 1)");
        whole(
                X,
                constants,
                "y = torch.conv3d(x, CONSTANTS.c0, None)",
                "torch.mean(torch.permute(y, [0, 2, 3, 4, 1]), [4])");
    }

    @Test
    void windowsOverDepthAloneAreOneOperation() {
        List<Tensor> constants = List.of(random(4, 4, 3, 1, 1), random(4, 4, 1, 3, 3), random(4));
        String separable =
                "torch.conv3d(torch.relu(torch.conv3d(y, CONSTANTS.c1, None, [1, 1, 1], [0, 1, 1])), CONSTANTS.c0, "
                        + "CONSTANTS.c2, [2, 1, 1], [1, 0, 0])";
        assertEquals(
                List.of("CONV_2D", "CONV_2D", "RELU", "CONV_2D"),
                work("y = torch.conv3d(x, CONSTANTS.c0, None, [1, 1, 1], [1, 0, 0])", constants, separable));
        assertEquals(
                List.of("CONV_2D", "MAX_POOL_2D", "MAX_POOL_2D"),
                work(
                        "y = torch.conv3d(x, CONSTANTS.c0, None)",
                        constants,
                        "torch.max_pool3d(y, [3, 3, 3], [2, 2, 2], [1, 1, 1])"));
        whole(
                X,
                List.of(random(4, 1, 3, 1, 1), random(4)),
                "torch.conv3d(x, CONSTANTS.c0, CONSTANTS.c1, [1, 1, 1], [1, 0, 0], [1, 1, 1], 4)");
        whole(
                X,
                List.of(random(6, 2, 2, 1, 1)),
                "torch.conv3d(x, CONSTANTS.c0, None, [2, 1, 1], [0, 0, 0], [1, 1, 1], 2)");
        whole(
                X,
                List.of(random(6, 2, 2, 1, 1)),
                "torch.conv3d(x, CONSTANTS.c0, None, [1, 1, 1], [0, 0, 0], [3, 1, 1], 2)");
        whole(
                X,
                List.of(random(3, 4, 2, 1, 1)),
                "torch.conv3d(x, CONSTANTS.c0, None, [1, 1, 1], [2, 0, 0], [3, 1, 1])");
    }

    @Test
    void partsKeepTheirOrder() {
        List<Tensor> constants = List.of(random(4, 4, 1, 1, 1));
        String begin = "y = torch.conv3d(x, CONSTANTS.c0, None)";
        String end =
                "torch.conv3d(torch.cat([torch.relu(y), %s], 1), torch.cat([CONSTANTS.c0, CONSTANTS.c0], 1), None)";
        assertEquals(
                List.of("CONV_2D", "RELU", "EXP", "CONCATENATION", "CONV_2D"),
                work(begin, constants, end.formatted("torch.exp(y)")));
        for (String part : new String[] {
            "torch.slice(y, 1, 1, 3)",
            "torch.slice(y, 2, 0, 5, 2)",
            "torch.select(y, 2, 1)",
            "torch.select(y, 1, -1)",
            "torch.narrow(y, 4, 2, 3)",
            "torch.mean(y, [2, 3, 4], True)",
            "torch.mean(y, [1, 3])",
            "torch.sum(y, [0, 4])",
            "torch.amax(y, [1])",
            "torch.cat([y, x], 4)",
            "torch.cat([x, y], 0)",
            "torch.stack(torch.unbind(y, 2), 0)",
            "torch.mean(y, [0, 1, 2, 3, 4])"
        }) {
            whole(X, constants, begin, part);
        }
    }

    /** What a function of a volume is made of, beside what moves and cuts. */
    private static List<String> work(String begin, List<Tensor> constants, String end) {
        return whole(X, constants, begin, end).stream()
                .filter(type -> !type.equals("RESHAPE") && !type.equals("TRANSPOSE"))
                .collect(Collectors.toList());
    }

    @Test
    void pools() {
        whole(X, List.of(), "torch.max_pool3d(x, [3, 3, 3], [2, 2, 2], [1, 1, 1])");
        whole(X, List.of(), "torch.max_pool3d(x, [1, 3, 3], [1, 2, 2], [0, 1, 1])");
        whole(X, List.of(), "torch.max_pool3d(x, [2, 2, 2], [1, 2, 1], [0, 1, 0], [2, 1, 3])");
        whole(X, List.of(), "torch.avg_pool3d(x, [2, 3, 3], [1, 2, 2])");
        whole(X, List.of(), "torch.avg_pool3d(x, [3, 3, 3], [2, 2, 2], [1, 1, 1])");
        whole(X, List.of(), "torch.avg_pool3d(x, [2, 2, 2], [2, 2, 2], [0, 1, 0], False, True, 3)");
        whole(X, List.of(), "torch.avg_pool3d(x, [3, 2, 3], [2, 2, 2], [1, 1, 0], True, True)");
        whole(X, List.of(), "torch.avg_pool3d(x, [3, 2, 3], [2, 2, 2], [1, 1, 0], True, False)");
        whole(X, List.of(), "torch.avg_pool3d(x, [3, 3, 3], [1, 2, 1], [1, 1, 1], False, False)");
        whole(X, List.of(), "torch.avg_pool3d(x, [2, 3, 2], [3, 2, 2], [0, 1, 1], True, False, 5)");
        whole(X, List.of(), "torch.adaptive_avg_pool3d(x, [2, 4, 1])");
        whole(X, List.of(), "y, _0 = torch.adaptive_max_pool3d(x, [1, 4, 3])", "y");
    }

    @Test
    void transposedConvolutionsAddTheirPlacesInDepth() {
        Tensor weight = random(4, 3, 2, 3, 2);
        String call = "torch.conv_transpose3d(x, CONSTANTS.c0, CONSTANTS.c1, %s)";
        whole(X, List.of(weight, random(3)), call.formatted("[2, 2, 2]"));
        whole(X, List.of(weight, random(3)), call.formatted("[3, 1, 2], [1, 1, 0], [2, 0, 1]"));
        whole(X, List.of(weight, random(3)), call.formatted("[1, 2, 1], [0, 1, 2], [0, 1, 0], 1, [3, 1, 2]"));
        whole(X, List.of(weight, random(6)), call.formatted("[2, 1, 1], [0, 0, 0], [0, 0, 0], 2"));
    }

    @Test
    void otherSizes() {
        whole(X, List.of(), "torch.upsample_trilinear3d(x, [7, 6, 14], True)");
        whole(X, List.of(), "torch.upsample_trilinear3d(x, [10, 9, 4], False)");
        whole(X, List.of(), "torch.upsample_nearest3d(x, [10, 9, 7])");
        whole(X, List.of(), "torch._upsample_nearest_exact3d(x, [3, 9, 14])");
    }

    @Test
    void paddingByName() {
        for (String name : new String[] {"valid", "same"}) {
            FreeUnderTest.whole(
                    FreeUnderTest.random(1, 2, 4, 5, 6),
                    List.of(FreeUnderTest.random(3, 2, 2, 3, 2)),
                    "torch.conv3d(x, CONSTANTS.c0, None, [1, 1, 1], \"" + name + "\", [1, 1, 1], 1)");
        }
    }
}
