package org.torchnnapi.program.op;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.torchnnapi.kernels.Activation;
import org.torchnnapi.kernels.Clamp;
import org.torchnnapi.kernels.UnaryOp;
import org.torchnnapi.kernels.Weights;
import org.torchnnapi.program.Op;
import org.torchnnapi.program.ValueType;

class LinearOpTest {
    @ParameterizedTest
    @CsvSource({"1, 1, 1", "1, 17, 5", "3, 64, 33", "7, 5, 16", "40, 31, 3"})
    void rowsByWeights(int rows, int in, int out) {
        Random random = new Random(rows);
        float[] x = (float[]) Ops.random(random, ValueType.floats(rows, in));
        float[] weights = (float[]) Ops.random(random, ValueType.floats(out, in));
        float[] bias = rows % 2 == 0 ? null : (float[]) Ops.random(random, ValueType.floats(out));
        float[] sums = new float[rows * out];
        for (int i = 0; i < sums.length; i++) {
            double sum = bias == null ? 0 : bias[i % out];
            for (int k = 0; k < in; k++) {
                sum += (double) x[i / out * in + k] * weights[i % out * in + k];
            }
            sums[i] = (float) sum;
        }
        LinearOp linear = new LinearOp(in, out, weights, bias, Clamp.NONE);
        check(sums, Activation.NONE, linear, x);
        check(sums, Activation.of(Clamp.RELU), linear.limited(Clamp.RELU), x);
        check(sums, Activation.HARD_SWISH, linear.applying(UnaryOp.HARD_SWISH), x);
        Activation silu = Activation.of(UnaryOp.SILU);
        check(sums, silu, new LinearOp(in, out, Weights.of(weights), bias, silu), x);
        assertNull(linear.applying(UnaryOp.SILU));
        assertNull(new LinearOp(in, out, weights, bias, Clamp.RELU).applying(UnaryOp.HARD_SWISH));
    }

    private static void check(float[] sums, Activation activation, Op linear, float[] x) {
        float[] expected = new float[sums.length];
        for (int i = 0; i < sums.length; i++) {
            expected[i] = activation.apply(sums[i]);
        }
        int in = ((LinearOp) linear).in();
        Ops.assertNear(
                expected, (float[]) Ops.run(linear, List.of(ValueType.floats(x.length / in, in)), x), linear.label());
    }

    @Test
    void keepsAllAxesButTheLast() {
        LinearOp linear = new LinearOp(4, 6, new float[24], null, Clamp.NONE);
        assertArrayEquals(
                new int[] {2, 3, 6},
                linear.result(List.of(ValueType.floats(2, 3, 4))).shape());
        assertThrows(IllegalArgumentException.class, () -> linear.result(List.of(ValueType.floats(4, 3))));
        assertThrows(IllegalArgumentException.class, () -> new LinearOp(4, 6, new float[23], null, Clamp.NONE));
    }
}
