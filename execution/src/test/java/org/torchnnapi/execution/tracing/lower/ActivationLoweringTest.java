package org.torchnnapi.execution.tracing.lower;

import static org.torchnnapi.execution.tracing.Agreement.bytes;
import static org.torchnnapi.execution.tracing.Agreement.floats;
import static org.torchnnapi.execution.tracing.Agreement.lowered;

import java.util.Arrays;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.torchnnapi.tensor.Tensor;

class ActivationLoweringTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "relu(x)",
                "relu6(x)",
                "hardtanh(x, -0.5, 0.75)",
                "clamp(x, -1, 0.25)",
                "clamp(x, None, 0.5)",
                "clamp_min(x, 0.5)",
                "clamp_max(x, -0.5)",
                "sigmoid(x)",
                "tanh(x)",
                "silu(x)",
                "hardswish(x)",
                "hardsigmoid(x)",
                "leaky_relu(x, 0.1)",
                "abs(x)",
                "neg(x)",
                "exp(x)",
                "sqrt(torch.abs(x))",
                "relu_(torch.neg(x))",
                "leaky_relu(x, 1.5)",
                "gelu(x)",
                "gelu(x, approximate=\"tanh\")",
                "mish(x)",
                "log_sigmoid(x)",
                "softplus(x)",
                "softplus(x, 1, 30)",
                "elu(x)",
                "elu(x, 0.5, 2., 0.75)",
                "selu(x)",
                "celu(x, 0.7)",
                "sin(x)",
                "cos(x)",
                "erf(x)",
                "floor(x)",
                "round(x)"
            })
    void ofFloats(String call) {
        lowered("torch." + call, floats(2, 3, 5, 7));
        lowered("torch." + call, floats(9));
    }

    @ParameterizedTest
    @ValueSource(strings = {"relu(x)", "sigmoid(x)", "tanh(x)", "leaky_relu(x, 0.1)", "hardsigmoid(x)", "elu(x)"})
    void ofBytes(String call) {
        lowered("torch." + call, bytes(2, 3, 5, 7));
    }

    @ParameterizedTest
    @ValueSource(strings = {"relu6(x)", "hardtanh(x, -0.5, 0.75)", "clamp(x, -1, 0.25)"})
    void limitsOfRowMajorBytes(String call) {
        lowered("torch." + call, bytes(4, 33));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void slopesOfConstants(int count) {
        lowered("torch.prelu(x, CONSTANTS.c0)", new Object[] {floats(count)}, floats(2, 3, 4, 4));
        Tensor upToOne = Tensor.of(Arrays.copyOf(new float[] {0.25f, -0.5f, 1}, count), count);
        lowered("torch.prelu(x, CONSTANTS.c0)", new Object[] {upToOne}, floats(2, 3, 4, 4));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, -1})
    void gates(int dim) {
        lowered("torch.glu(x, " + dim + ")", floats(2, 6, 4, 8));
    }
}
