package org.torchnnapi.converter.lower;

import static org.torchnnapi.converter.partition.FreeUnderTest.random;
import static org.torchnnapi.converter.partition.FreeUnderTest.whole;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.torchnnapi.tensor.Tensor;

class ReductionsTest {
    private static final Tensor X = random(2, 3, 4, 5);
    private static final Tensor WEIGHT = random(3, 3, 1, 1);

    @Test
    void normsOfAnyOrder() {
        for (String order : new String[] {"0", "1", "2", "3.5", "float(\"inf\")", "float(\"-inf\")"}) {
            whole(random(2, 3, 4), List.of(), "torch.linalg_vector_norm(x, " + order + ", [1])");
        }
        whole(Tensor.of(new long[] {1, 2, 3, 4, 5, 6}, 2, 3), List.of(), "torch.sum(x, [1], False, dtype=6)");
    }

    @Test
    void imagesAreReducedWhereNnapiHasThem() {
        for (String expression : new String[] {
            "torch.mean(y, [2, 3])",
            "torch.mean(y, [1], True)",
            "torch.sum(y, [3])",
            "torch.sum(y)",
            "torch.amax(y, [1, 2], True)",
            "torch.amin(y, [0])",
            "torch.max(y)",
            "torch.norm(y, 2, [1], True)",
            "torch.var(y, [1, 3], False)",
            "torch.std(y, [2], True, True)",
            "(torch.max(y, 1))[0]",
            "torch.mean(y, [-1, -2, -3])"
        }) {
            whole(
                    X,
                    List.of(WEIGHT),
                    "y = torch.conv2d(torch.silu(x), CONSTANTS.c0, None)",
                    "torch.mul(" + expression + ", 2)");
        }
    }

    /** Such that float32 cannot tell apart are among them; of equals the first counts. */
    @Test
    void wholeNumbersHaveExtremes() {
        Tensor x = Tensor.of(
                new long[] {
                    3, -7, 3, 16_777_216, 16_777_217, 0, Integer.MIN_VALUE + 9, 5, 5, -1, -1, Integer.MAX_VALUE - 9
                },
                2,
                2,
                3);
        for (String name : new String[] {"max", "min"}) {
            whole(x, List.of(), "torch." + name + "(x)");
            whole(x, List.of(), "torch.arg" + name + "(x)");
            whole(x, List.of(), "v, i = torch." + name + "(x, 1)", "torch.add(torch.clamp(v, -99, 16777217), i)");
            whole(x, List.of(), "v, i = torch." + name + "(x, -1, True)", "i");
            whole(x, List.of(), "torch.arg" + name + "(torch.to(x, 3), 0)");
        }
        whole(x, List.of(), "torch.sum(torch.to(torch.gt(x, 0), 0), [0, 2])");
    }

    @Test
    void manyDimensionsAreReducedAlongDistantOnes() {
        for (String call :
                List.of("torch.sum(x, [2, 4])", "torch.mean(x, [0, 2, -1], True)", "torch.amax(x, [1, 3])")) {
            whole(random(2, 3, 4, 2, 3), List.of(), call);
        }
    }

    @Test
    void manyDimensionsFold() {
        whole(random(2, 3, 2, 4, 3), List.of(), "torch.mean(x, [2, 3])");
        whole(random(2, 3, 2, 4, 3), List.of(), "torch.sum(x, [-1], True)");
    }
}
