package org.torchnnapi.execution.tracing.lower;

import static org.torchnnapi.execution.tracing.Agreement.floats;
import static org.torchnnapi.execution.tracing.Agreement.longs;
import static org.torchnnapi.execution.tracing.Agreement.lowered;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.torchnnapi.tensor.Tensor;

class ComparisonLoweringTest {
    @ParameterizedTest
    @ValueSource(strings = {"eq", "ne", "lt", "le", "gt", "ge"})
    void ofEveryType(String name) {
        Object[] constants = {
            Tensor.of(new float[] {0.1f, -0.2f, 0.3f, 1, 0}, 5), Tensor.of(new long[] {1, 0, 2, 3, 1}, 5)
        };
        for (String other : new String[] {"y", "0", "0.1", "CONSTANTS.c0", "CONSTANTS.c1", "torch.to(y, 4)"}) {
            lowered("torch." + name + "(x, " + other + ")", constants, floats(2, 4, 5), floats(4, 1));
            lowered("torch." + name + "(x, " + other + ")", constants, longs(4, 2, 4, 5), longs(3, 4, 1));
        }
        lowered("torch." + name + "(torch.gt(x, 1), torch.lt(y, 2))", longs(4, 2, 5), longs(4, 5));
        lowered("torch." + name + "(torch.gt(x, 1), 1)", longs(4, 2, 5));
    }
}
