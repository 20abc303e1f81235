package org.torchnnapi.execution.tracing.lower;

import static org.torchnnapi.execution.tracing.Agreement.floats;
import static org.torchnnapi.execution.tracing.Agreement.lowered;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.torchnnapi.tensor.Tensor;

class NormalizationLoweringTest {
    private static final String CALL =
            "torch.batch_norm(x, CONSTANTS.c0, CONSTANTS.c1, CONSTANTS.c2, CONSTANTS.c3, False, 0.1, 1e-05, True)";

    private static Object[] statistics() {
        return new Object[] {floats(3), floats(3), floats(3), Tensor.of(new float[] {0.5f, 1, 2}, 3)};
    }

    @Test
    void scalesAndShiftsChannels() {
        lowered(CALL, statistics(), floats(2, 3, 4, 5));
        lowered(CALL, statistics(), floats(6, 3));
        lowered(CALL, statistics(), floats(2, 3, 7));
        lowered(CALL.replace("CONSTANTS.c0, CONSTANTS.c1", "None, None"), statistics(), floats(2, 3, 4, 5));
    }

    @Test
    void instancesByRunningStatistics() {
        lowered(CALL.replace("batch_norm", "instance_norm"), statistics(), floats(2, 3, 4, 5));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "layer_norm(x, [5])",
                "layer_norm(x, [4, 5], None, None, 0.001)",
                "layer_norm(x, [5], CONSTANTS.c0, CONSTANTS.c1, 1e-05, True)",
                "layer_norm(x, [5], CONSTANTS.c0)",
                "relu(torch.layer_norm(x, [3, 4, 5]))"
            })
    void layers(String call) {
        lowered("torch." + call, new Object[] {floats(5), floats(5)}, floats(2, 3, 4, 5));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "native_layer_norm(x, [5], CONSTANTS.c0, CONSTANTS.c0, 0.001)",
                "native_layer_norm(x, [4, 5], None, None, 1e-05)",
                "native_group_norm(x, CONSTANTS.c1, CONSTANTS.c1, 2, 6, 20, 3, 0.001)"
            })
    void statistics(String call) {
        lowered(
                List.of("r, mean, inverse = torch." + call, "return (r, mean, inverse)"),
                new Object[] {floats(5), floats(6)},
                floats(2, 6, 4, 5));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "group_norm(x, 2)",
                "group_norm(x, 4, CONSTANTS.c0, CONSTANTS.c1, 0.01, True)",
                "group_norm(x, 1, CONSTANTS.c0)",
                "instance_norm(x, CONSTANTS.c0, CONSTANTS.c1, None, None, True, 0.1, 1e-05, True)",
                "instance_norm(x, None, None, None, None, True, 0.1, 1e-05, True)"
            })
    void groups(String call) {
        lowered("torch." + call, new Object[] {floats(4), floats(4)}, floats(2, 4, 5, 3));
        lowered("torch." + call, new Object[] {floats(4), floats(4)}, floats(3, 4, 7));
    }
}
