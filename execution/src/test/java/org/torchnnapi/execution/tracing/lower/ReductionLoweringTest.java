package org.torchnnapi.execution.tracing.lower;

import static org.torchnnapi.execution.tracing.Agreement.bytes;
import static org.torchnnapi.execution.tracing.Agreement.compare;
import static org.torchnnapi.execution.tracing.Agreement.floats;
import static org.torchnnapi.execution.tracing.Agreement.lowered;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ReductionLoweringTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "mean(x, [2, 3])",
                "mean(x, [-1, -2], True)",
                "mean(x)",
                "sum(x, [1])",
                "mean(x, [0, 1, 2, 3])",
                "sum(x)",
                "amax(x, [1])",
                "amin(x, [2, 3], True)",
                "amax(x, [-1])"
            })
    void ofFloats(String call) {
        lowered("torch." + call, floats(2, 3, 6, 5));
    }

    @ParameterizedTest
    @ValueSource(strings = {"mean(x, [2, 3])", "mean(x, [2, 3], True)"})
    void ofBytes(String call) {
        lowered("torch." + call, bytes(2, 3, 7, 5));
        compare(List.of("return torch." + call.replace("(x", "(torch.relu(x)")), new Object[0], bytes(2, 3, 6, 5));
    }
}
