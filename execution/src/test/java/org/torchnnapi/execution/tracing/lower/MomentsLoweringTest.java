package org.torchnnapi.execution.tracing.lower;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.torchnnapi.execution.tracing.Agreement.compare;
import static org.torchnnapi.execution.tracing.Agreement.floats;
import static org.torchnnapi.execution.tracing.Agreement.lowered;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MomentsLoweringTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "norm(x)",
                "norm(x, 2, [-1], True)",
                "norm(x, 1, [2, 3])",
                "norm(x, None, [1])",
                "norm(x, float('inf'), [3])",
                "norm(x, float('-inf'), [0, 1, 2, 3])",
                "frobenius_norm(x)",
                "frobenius_norm(x, [2, 3], True)",
                "linalg_vector_norm(x)",
                "linalg_vector_norm(x, 2, [1], True)"
            })
    void norms(String call) {
        lowered("torch." + call, floats(2, 3, 6, 5));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "var(x)",
                "var(x, False)",
                "var(x, [2, 3], True, True)",
                "var(x, [-1], False)",
                "var(x, [1], correction=2)",
                "std(x)",
                "std(x, [2, 3], False, True)",
                "std(x, [3], correction=0, keepdim=True)"
            })
    void variancesAndDeviations(String call) {
        lowered("torch." + call, floats(2, 3, 6, 5));
    }

    @Test
    void normalizedVectors() {
        lowered(
                List.of(
                        "n = torch.norm(x, 2, [1], True)",
                        "return torch.div(x, torch.expand_as(torch.clamp_min(n, 1e-12), x))"),
                new Object[0],
                floats(4, 7));
    }

    /** Powers and counts are no program's operation. */
    @ParameterizedTest
    @ValueSource(strings = {"3", "0"})
    void otherNormsAreCalledByThemselves(String order) {
        String description = compare(
                        List.of("return torch.relu(torch.norm(x, " + order + ", [1]))"), new Object[0], floats(4, 6))
                .description()
                .get(0);
        assertTrue(description.startsWith("forward: 1 operator called"), description);
    }
}
