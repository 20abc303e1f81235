package org.torchnnapi.execution.tracing.lower;

import static org.torchnnapi.execution.tracing.Agreement.floats;
import static org.torchnnapi.execution.tracing.Agreement.lowered;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PowerLoweringTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "pow(x, 2)",
                "pow(x, 3.)",
                "pow(x, 4)",
                "square(x)",
                "reciprocal(torch.add(torch.abs(x), 0.5))",
                "pow(torch.abs(x), 0.5)",
                "pow(torch.add(torch.abs(x), 0.5), -0.5)",
                "pow(torch.add(torch.abs(x), 0.5), -1)"
            })
    void ofFloats(String call) {
        lowered("torch." + call, floats(2, 3, 4, 5));
    }
}
