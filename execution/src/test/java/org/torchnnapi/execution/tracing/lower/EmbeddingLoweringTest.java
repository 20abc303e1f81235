package org.torchnnapi.execution.tracing.lower;

import static org.torchnnapi.execution.tracing.Agreement.floats;
import static org.torchnnapi.execution.tracing.Agreement.longs;
import static org.torchnnapi.execution.tracing.Agreement.lowered;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.torchnnapi.tensor.Tensor;

class EmbeddingLoweringTest {
    private static final Object[] CONSTANTS = {floats(9, 5), Tensor.of(new long[] {0, 2, 2, 5}, 4), floats(7)};

    @ParameterizedTest
    @ValueSource(
            strings = {
                "embedding(CONSTANTS.c0, x)",
                "embedding(CONSTANTS.c0, torch.to(x, 3))",
                "embedding(CONSTANTS.c0, torch.add(x, 2), 1)"
            })
    void rows(String call) {
        lowered("torch." + call, CONSTANTS, longs(7, 3, 7));
        lowered("torch." + call, CONSTANTS, longs(7));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "embedding_bag(CONSTANTS.c0, x, CONSTANTS.c1)",
                "embedding_bag(CONSTANTS.c0, x, CONSTANTS.c1, False, 1)",
                "embedding_bag(CONSTANTS.c0, x, CONSTANTS.c1, False, 2, False, None, True)",
                "embedding_bag(CONSTANTS.c0, x, CONSTANTS.c1, False, 0, False, CONSTANTS.c2, False)",
                "embedding_bag(CONSTANTS.c0, x, CONSTANTS.c1, False, 1, False, None, False, -7)",
                "embedding_bag(CONSTANTS.c0, x, CONSTANTS.c1, False, 0, False, None, True, None)",
                "_embedding_bag(CONSTANTS.c0, x, CONSTANTS.c1, False, 0, False, y, False, -1)"
            })
    void bags(String call) {
        lowered(List.of("a, b, c, d = torch." + call, "return a"), CONSTANTS, longs(9, 7), floats(7));
    }
}
