package org.torchnnapi.execution.tracing.lower;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.torchnnapi.execution.tracing.Agreement.floats;
import static org.torchnnapi.execution.tracing.Agreement.lowered;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.torchnnapi.execution.tracing.Methods;
import org.torchnnapi.operators.packed.LinearParams;
import org.torchnnapi.operators.support.QuantizedMath;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Quantization;
import org.torchnnapi.tensor.Tensor;

class DynamicLoweringTest {
    private static final int OUTPUTS = 37;

    private static Object params(int inputs, boolean perChannel, boolean biased) {
        double[] scales = new double[OUTPUTS];
        Arrays.setAll(scales, i -> 0.01 + 0.001 * i);
        Quantization q = perChannel
                ? new Quantization.PerChannel(scales, new double[OUTPUTS], 0, false)
                : new Quantization.PerTensor(0.02, 0);
        return LinearParams.CLASS.wrap(new LinearParams(
                QuantizedMath.quantize(floats(OUTPUTS, inputs), q, DType.QINT8), biased ? floats(OUTPUTS) : null));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "linear_dynamic(x, CONSTANTS.c0)",
                "linear_dynamic(x, CONSTANTS.c0, True)",
                "linear_relu_dynamic(x, CONSTANTS.c1)",
                "linear_dynamic(torch.relu(x), CONSTANTS.c2)"
            })
    void bitForBit(String call) {
        for (int inputs : new int[] {1, 5, 64}) {
            Object[] constants = {params(inputs, false, true), params(inputs, true, true), params(inputs, true, false)};
            List<String> lines = List.of("return ops.quantized." + call);
            for (int[] sizes : new int[][] {{inputs}, {3, inputs}, {2, 9, inputs}}) {
                Tensor x = floats(sizes);
                lowered(lines, constants, x);
                Methods methods = Methods.forward(1, lines, constants);
                assertArrayEquals(
                        ((Tensor) methods.interpret("forward", x)).toFloatArray(),
                        ((Tensor) methods.specialise("forward", x)).toFloatArray());
            }
        }
    }

    @Test
    void zerosAndTinyRanges() {
        Object[] constants = {params(8, false, true)};
        for (float value : new float[] {0, 1e-8f, -1e-8f}) {
            float[] values = new float[16];
            Arrays.fill(values, value);
            lowered(
                    List.of("return ops.quantized.linear_dynamic(x, CONSTANTS.c0)"),
                    constants,
                    Tensor.of(values, 2, 8));
        }
    }
}
