package org.torchnnapi.execution.tracing.lower;

import static org.torchnnapi.execution.tracing.Agreement.floats;
import static org.torchnnapi.execution.tracing.Agreement.longs;
import static org.torchnnapi.execution.tracing.Agreement.lowered;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class IdentityLoweringTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "dropout(torch.relu(x), 0.5, False)",
                "contiguous(torch.permute(torch.relu(x), [0, 2, 3, 1]))",
                "contiguous(torch.relu(x), memory_format=2)",
                "clone(torch.relu(x))",
                "mul(torch.clone(x), 2.)",
                "detach(torch.relu(x))",
                "to(torch.relu(x), 6)",
                "to(torch.relu(x), 6, False, True)",
                "relu(torch.contiguous(x))"
            })
    void elementsStay(String call) {
        lowered("torch." + call, floats(2, 3, 4, 5));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "to(x, 4)",
                "to(x, 11)",
                "to(torch.to(x, 4), 6)",
                "type_as(x, y)",
                "type_as(y, x)",
                "to(y, 6)",
                "to(y, 3)",
                "to(y, 11)",
                "to(torch.to(y, 3), 4)",
                "_cast_Long(x)",
                "_cast_Float(y)",
                "to(torch.ne(y, 2), 4)",
                "to(torch.ne(y, 2), 6)"
            })
    void conversions(String call) {
        lowered("torch." + call, floats(2, 3, 4, 5), longs(5, 2, 3));
    }
}
