package org.torchnnapi.execution.tracing.lower;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.torchnnapi.execution.tracing.Agreement.floats;
import static org.torchnnapi.execution.tracing.Agreement.lowered;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.torchnnapi.execution.tracing.Methods;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.value.ScriptException;

class LinearLoweringTest {
    @Test
    void layers() {
        Object[] constants = {floats(7, 5), floats(7)};
        lowered("torch.linear(x, CONSTANTS.c0, CONSTANTS.c1)", constants, floats(3, 5));
        lowered("torch.linear(x, CONSTANTS.c0)", constants, floats(2, 3, 5));
        lowered("torch.addmm(CONSTANTS.c1, x, torch.t(CONSTANTS.c0))", constants, floats(3, 5));
        lowered("torch.relu(torch.matmul(x, torch.t(CONSTANTS.c0)))", constants, floats(2, 4, 5));
    }

    @Test
    void productsOfWhatVaries() {
        lowered("torch.bmm(x, y)", floats(2, 3, 5), floats(2, 5, 4));
        lowered("torch.mm(x, y)", floats(3, 5), floats(5, 4));
        lowered("torch.matmul(x, torch.transpose(y, 2, 3))", floats(1, 2, 3, 5), floats(1, 2, 4, 5));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "3 5; 5",
                "5; 5",
                "5; 5 4",
                "2 3 5; 5 4",
                "2 1 3 5; 4 5 6",
                "3 5; 2 5 4",
                "1 3 5; 2 5 4",
                "2 3 5; 1 5 4"
            })
    void broadcastProducts(String left, String right) {
        lowered(List.of("return torch.matmul(x, y)"), new Object[0], ofSizes(left), ofSizes(right));
    }

    private static Tensor ofSizes(String text) {
        return floats(Arrays.stream(text.trim().split(" "))
                .mapToInt(Integer::parseInt)
                .toArray());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"baddbmm(z, x, y)", "baddbmm(CONSTANTS.c0, x, y, beta=0.5, alpha=2)", "baddbmm(z, x, y, beta=0)"
            })
    void productsWithSums(String call) {
        lowered(
                List.of("return torch." + call),
                new Object[] {floats(4)},
                floats(2, 3, 5),
                floats(2, 5, 4),
                floats(2, 3, 4));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "mm; 3; 3 4",
                "mm; 2 3; 3",
                "mm; 2 3 4; 2 4 5",
                "bmm; 1 2 3; 4 3 5",
                "bmm; 4 2 3; 1 3 5",
                "bmm; 2 3; 3 4"
            })
    void onlyMatmulBroadcasts(String operator, String left, String right) {
        Methods methods = Methods.forward(2, List.of("return torch." + operator + "(x, y)"), new Object[0]);
        assertThrows(ScriptException.class, () -> methods.interpret("forward", ofSizes(left), ofSizes(right)));
        assertThrows(ScriptException.class, () -> methods.specialise("forward", ofSizes(left), ofSizes(right)));
    }
}
