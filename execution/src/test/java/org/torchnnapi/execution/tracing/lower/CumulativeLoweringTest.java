package org.torchnnapi.execution.tracing.lower;

import static org.torchnnapi.execution.tracing.Agreement.floats;
import static org.torchnnapi.execution.tracing.Agreement.longs;
import static org.torchnnapi.execution.tracing.Agreement.lowered;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CumulativeLoweringTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "cumsum(x, 0)",
                "cumsum(x, -1)",
                "cumsum(y, 1)",
                "cumsum(torch.ne(y, 2), 1)",
                "cumsum(y, 0, dtype=4)"
            })
    void sums(String call) {
        lowered("torch." + call, floats(3, 4, 5), longs(4, 3, 5));
    }
}
