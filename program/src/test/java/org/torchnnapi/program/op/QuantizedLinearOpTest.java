package org.torchnnapi.program.op;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.torchnnapi.kernels.QuantizedWeights;
import org.torchnnapi.kernels.Requantization;
import org.torchnnapi.program.ByteQuantization;
import org.torchnnapi.program.ValueType;

class QuantizedLinearOpTest {
    @ParameterizedTest
    @CsvSource({"1, 1, 1", "1, 17, 5", "3, 64, 33", "7, 5, 16", "40, 31, 3"})
    void rowsByWeights(int rows, int in, int out) {
        Random random = new Random(rows);
        for (ByteQuantization output : ByteOps.QUANTIZATIONS) {
            ByteQuantization input = new ByteQuantization(
                    output.element(), 0.2f, output.element().min() + 30);
            byte[] x = ByteOps.random(random, ValueType.bytes(input, rows, in));
            QuantizedWeights weights = QuantizedConvolutionOpTest.weights(random, out * in, out);
            int[] bias = random.ints(out, -3000, 3000).toArray();
            float[] scales = QuantizedConvolutionOpTest.scales(random, out);
            byte[] expected = new byte[rows * out];
            for (int i = 0; i < expected.length; i++) {
                int sum = bias[i % out];
                for (int k = 0; k < in; k++) {
                    int value = QuantizedConvolutionOpTest.stored(input, x[i / out * in + k]) - input.zeroPoint();
                    sum += value * weights.centred(i % out * in + k, i % out);
                }
                expected[i] = QuantizedConvolutionOpTest.byteOf(sum, scales[i % out], output);
            }
            Requantization requantization = Requantization.halfEven(
                    scales,
                    output.zeroPoint(),
                    output.element().min(),
                    output.element().max());
            QuantizedLinearOp linear = new QuantizedLinearOp(in, out, weights, bias, requantization, output);
            assertArrayEquals(expected, ByteOps.run(linear, ValueType.bytes(input, rows, in), x), output.toString());
        }
    }

    @Test
    void keepsAllAxesButTheLast() {
        ByteQuantization q = ByteOps.QUANTIZATIONS[0];
        QuantizedLinearOp linear = new QuantizedLinearOp(
                4,
                6,
                QuantizedConvolutionOpTest.weights(new Random(1), 24, 1),
                null,
                Requantization.halfEven(new float[] {1}, 0, 0, 255),
                q);
        assertArrayEquals(
                new int[] {2, 3, 6},
                linear.result(List.of(ValueType.bytes(q, 2, 3, 4))).shape());
        assertThrows(IllegalArgumentException.class, () -> linear.result(List.of(ValueType.bytes(q, 4, 3))));
        assertThrows(IllegalArgumentException.class, () -> linear.result(List.of(ValueType.floats(3, 4))));
    }
}
