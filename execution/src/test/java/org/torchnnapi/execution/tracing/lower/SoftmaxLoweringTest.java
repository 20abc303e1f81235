package org.torchnnapi.execution.tracing.lower;

import static org.torchnnapi.execution.tracing.Agreement.floats;
import static org.torchnnapi.execution.tracing.Agreement.lowered;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SoftmaxLoweringTest {
    @ParameterizedTest
    @ValueSource(strings = {"softmax(x, -1)", "softmax(x, 1)", "log_softmax(x, 1)", "log_softmax(x, 0, 6)"})
    void alongADimension(String call) {
        lowered("torch." + call, floats(5, 6));
        lowered("torch." + call, floats(2, 3, 4, 5));
    }

    @ParameterizedTest
    @ValueSource(strings = {"-1", "1", "0"})
    void whatIsHiddenGivesZerosWhereItIsSafe(String dimension) {
        lowered(
                "torch._safe_softmax(torch.masked_fill(x, torch.gt(x, -1.), -inf), " + dimension + ")",
                floats(3, 2, 3));
    }
}
