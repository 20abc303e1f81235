package org.torchnnapi.execution.tracing.lower;

import static org.torchnnapi.execution.tracing.Agreement.bytes;
import static org.torchnnapi.execution.tracing.Agreement.lowered;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class QuantizedActivationLoweringTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "hardswish(x, 0.02, 33)",
                "sigmoid(x, 0.004, 0)",
                "leaky_relu(x, 0.2, False, 0.03, 100)",
                "elu(x, 0.03, 60)",
                "celu(x, 0.03, 60)",
                "threshold(x, 0.1, -0.4)"
            })
    void areTables(String call) {
        lowered("ops.quantized." + call, bytes(2, 3, 4, 5));
    }

    @ParameterizedTest
    @ValueSource(strings = {"relu6(x)", "clamp(x, -0.5, 1.)"})
    void limitsOfRowMajorBytes(String call) {
        lowered("ops.quantized." + call, bytes(4, 33));
    }
}
