package org.torchnnapi.execution.tracing.lower;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.torchnnapi.execution.tracing.Agreement.floats;
import static org.torchnnapi.execution.tracing.Agreement.lowered;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.torchnnapi.tensor.Tensor;

class SlicedLoweringTest {
    private static final Object[] CONSTANTS = {
        small(6, 6, 3, 3, 3), floats(6), Tensor.of(new float[] {1, 2, 0.5f, 1, 3, 0.7f}, 6), floats(6, 1, 1, 1)
    };
    private static final String FIRST = "a = torch.conv3d(x, CONSTANTS.c0, CONSTANTS.c1, [1, 1, 1], [1, 1, 1])";
    private static final String LAST = "return torch.conv3d(b, CONSTANTS.c0, None, [1, 1, 1], [1, 1, 1])";

    /** Weights whose sums of products are no larger than what they are of, so that roundings stay small too. */
    private static Tensor small(int... sizes) {
        float[] values = floats(sizes).toFloatArray();
        for (int i = 0; i < values.length; i++) {
            values[i] *= 0.05f;
        }
        return Tensor.of(values, sizes);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "relu(a)",
                "relu_(a)",
                "batch_norm(a, CONSTANTS.c1, CONSTANTS.c1, CONSTANTS.c1, CONSTANTS.c2, False, 0.1, 0.001, True)",
                "add(a, torch.sigmoid(a))",
                "mul(a, 2)",
                "add(a, torch.relu(a), alpha=2)",
                "clamp(torch.tanh(a), 0, 0.5)",
                "dropout(a, 0.1, False)",
                "leaky_relu(a, 0.1)",
                "max_pool3d(a, [2, 2, 2])",
                "prelu(a, CONSTANTS.c1)",
                "sub(torch.silu(a), 1.)",
                "add(torch.relu(a), x)"
            })
    void staysInSlices(String call) {
        List<String> how = lowered(List.of(FIRST, "b = torch." + call, LAST), CONSTANTS, floats(2, 6, 4, 5, 6));
        long turned = how.stream().filter(line -> line.contains("transpose")).count();
        assertTrue(turned <= 2, "one at each end: " + how);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "mul(a, torch.sigmoid(torch.adaptive_avg_pool3d(a, [1, 1, 1])))",
                "add(a, CONSTANTS.c3)",
                "narrow(torch.cat([a, x], 1), 1, 3, 6)",
                "add(a, torch.narrow(a, 2, 0, 1))",
                "cat([a, torch.relu(a)], 2)",
                "flip(a, [2])",
                "instance_norm(a, None, None, None, None, True, 0.1, 0.001, True)",
                "add(torch.permute(a, [0, 1, 2, 3, 4]), y)"
            })
    void whateverTheShapes(String call) {
        for (int batch : new int[] {1, 2}) {
            lowered(
                    List.of(FIRST, "b = torch." + call, LAST),
                    CONSTANTS,
                    floats(batch, 6, 4, 5, 6),
                    floats(6, 4, 1, 6));
        }
    }

    @Test
    void joinedChannels() {
        Object[] constants = {small(4, 3, 1, 1, 1), small(2, 7, 3, 3, 3)};
        List<String> how = lowered(
                List.of(
                        "a = torch.conv3d(x, CONSTANTS.c0)",
                        "b = torch.cat([torch.relu(a), x], 1)",
                        "return torch.conv3d(b, CONSTANTS.c1)"),
                constants,
                floats(2, 3, 4, 5, 6));
        assertTrue(how.stream().filter(line -> line.contains("transpose")).count() <= 2, "one at each end: " + how);
    }
}
