package org.torchnnapi.execution.tracing.lower;

import static org.torchnnapi.execution.tracing.Agreement.bytes;
import static org.torchnnapi.execution.tracing.Agreement.floats;
import static org.torchnnapi.execution.tracing.Agreement.lowered;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PermutationLoweringTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "permute(x, [0, 2, 3, 1])",
                "transpose(x, 1, -1)",
                "permute(x, [3, 1, 0, 2])",
                "movedim(x, 1, 3)",
                "swapaxes(x, 0, 2)"
            })
    void ofImages(String call) {
        lowered("torch.neg(torch." + call + ")", floats(2, 3, 4, 5));
        lowered("torch." + call.replace("(x", "(torch.neg(x)"), floats(2, 3, 4, 5));
        lowered("torch.relu(torch." + call + ")", bytes(2, 3, 4, 5));
    }

    @ParameterizedTest
    @ValueSource(strings = {"t(x)", "numpy_T(x)"})
    void ofMatrices(String call) {
        lowered("torch.neg(torch." + call + ")", floats(3, 4));
    }
}
