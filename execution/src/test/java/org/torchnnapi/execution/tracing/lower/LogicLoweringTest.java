package org.torchnnapi.execution.tracing.lower;

import static org.torchnnapi.execution.tracing.Agreement.longs;
import static org.torchnnapi.execution.tracing.Agreement.lowered;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LogicLoweringTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "logical_and(x, y)",
                "logical_or(x, torch.gt(y, 0))",
                "logical_xor(x, y)",
                "logical_not(x)",
                "bitwise_and(torch.gt(x, 0), torch.eq(y, 1))",
                "__and__(torch.gt(x, 0), torch.eq(y, 1))",
                "__or__(torch.gt(x, 0), torch.eq(y, 1))",
                "bitwise_xor(torch.gt(x, 0), torch.eq(y, 1))",
                "bitwise_not(torch.gt(x, 1))",
                "__iand__(torch.gt(x, 0), torch.eq(y, 1))"
            })
    void conditions(String call) {
        lowered("torch." + call, longs(3, 2, 4, 5), longs(2, 4, 1));
    }
}
