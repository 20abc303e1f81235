package org.torchnnapi.execution.tracing.lower;

import static org.torchnnapi.execution.tracing.Agreement.floats;
import static org.torchnnapi.execution.tracing.Agreement.longs;
import static org.torchnnapi.execution.tracing.Agreement.lowered;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.torchnnapi.tensor.Tensor;

class ArithmeticLoweringTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "add(x, y)",
                "sub(x, y)",
                "mul(x, y)",
                "div(x, y)",
                "add(x, y, alpha=2)",
                "sub(x, y, alpha=0.5)",
                "maximum(x, y)",
                "min(x, y)",
                "rsub(x, y)"
            })
    void ofTwoTensors(String call) {
        lowered("torch." + call, floats(2, 3, 4, 5), floats(2, 3, 4, 5));
        lowered("torch." + call, floats(2, 3, 4, 5), floats(3, 1, 1));
        lowered("torch." + call, floats(4, 1), floats(5));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "add(x, 2)",
                "sub(x, 0.3)",
                "mul(x, 3)",
                "div(x, 4)",
                "rsub(x, 1)",
                "add(x, 2, 3)",
                "mul(x, CONSTANTS.c1)",
                "add(x, CONSTANTS.c0)",
                "sub(x, CONSTANTS.c0, alpha=3)",
                "div(CONSTANTS.c0, torch.add(torch.abs(x), 1))",
                "add_(torch.mul(x, 2), x)"
            })
    void withConstants(String call) {
        Object[] constants = {floats(3, 1, 5), Tensor.of(new long[] {3})};
        lowered("torch." + call, constants, floats(2, 3, 4, 5));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "add(x, y)",
                "sub(x, y)",
                "mul(x, y)",
                "div(x, torch.add(y, 1))",
                "add(x, y, alpha=2)",
                "maximum(x, y)",
                "minimum(x, y)",
                "rsub(x, 1)",
                "add(x, 2)",
                "mul(x, 0.5)",
                "sub(y, 2.5)",
                "add(x, torch.to(y, 6))",
                "mul(torch.eq(x, 2), y)",
                "rsub(torch.to(torch.ne(x, 1), 6), 1.)"
            })
    void ofWholeNumbers(String call) {
        lowered("torch." + call, longs(9, 2, 3, 4), longs(7, 3, 1));
    }

    @Test
    void alsoOfTensorsWithoutDimensions() {
        lowered("torch.add(x, y)", floats(), floats());
        lowered("torch.mul(x, y)", floats(2, 3), floats());
    }
}
