package org.torchnnapi.execution.tracing.lower;

import static org.torchnnapi.execution.tracing.Agreement.bytes;
import static org.torchnnapi.execution.tracing.Agreement.floats;
import static org.torchnnapi.execution.tracing.Agreement.lowered;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.torchnnapi.tensor.Tensor;

class ArrangementLoweringTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "roll(x, [1, -2], [1, 2])",
                "roll(x, [7], [3])",
                "flip(x, [0, 2])",
                "flip(x, [-1])",
                "repeat(x, [2, 1, 3, 2])",
                "repeat(x, [2, 1, 1, 1, 1])",
                "index_select(x, 1, CONSTANTS.c0)",
                "relu(torch.expand(torch.select(x, 3, 0), [4, 2, 3, 4]))",
                "roll(x, [1, 1], [2, 2])"
            })
    void ofFloats(String call) {
        lowered("torch." + call, new Object[] {Tensor.of(new long[] {2, 0, 0, 1}, 4)}, floats(2, 3, 4, 5));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "relu(torch.expand(x, [3, 2, -1]))",
                "relu(torch.expand(x, [2, 5]))",
                "add(torch.expand_as(x, y), y)"
            })
    void expansionsOfOneElement(String call) {
        lowered("torch." + call, new Object[0], floats(2, 1), floats(2, 7));
    }

    @ParameterizedTest
    @ValueSource(strings = {"roll(x, [1, -2], [1, 2])", "flip(x, [0, 2])"})
    void ofBytes(String call) {
        lowered("torch." + call, bytes(2, 3, 4, 5));
    }
}
