package org.torchnnapi.execution.tracing.lower;

import static org.torchnnapi.execution.tracing.Agreement.bytes;
import static org.torchnnapi.execution.tracing.Agreement.lowered;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class QuantizedArithmeticLoweringTest {
    @ParameterizedTest
    @ValueSource(strings = {"add", "add_relu", "mul", "mul_relu"})
    void ofTwoTensors(String name) {
        lowered("ops.quantized." + name + "(x, y, 0.05, 77)", bytes(2, 3, 4, 5), bytes(2, 3, 4, 5));
        lowered("ops.quantized." + name + "(x, torch.relu(x), 0.05, 77)", bytes(2, 3, 4, 5));
    }

    @ParameterizedTest
    @ValueSource(strings = {"add_scalar(x, 0.7)", "mul_scalar(x, 1.5)", "mul_scalar_relu(x, -2.)"})
    void withANumber(String call) {
        lowered("ops.quantized." + call, bytes(2, 3, 4, 5));
    }

    @Test
    void joins() {
        lowered("ops.quantized.cat([x, torch.sigmoid(y)], 1, 0.02, 101)", bytes(2, 3, 4, 5), bytes(2, 2, 4, 5));
        lowered("ops.quantized.cat_relu([x, y], 0, None, None)", bytes(2, 3), bytes(4, 3));
    }
}
