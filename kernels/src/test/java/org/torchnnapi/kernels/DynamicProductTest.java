package org.torchnnapi.kernels;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.torchnnapi.kernels.internal.DynamicProductKernel;
import org.torchnnapi.kernels.internal.DynamicSpec;
import org.torchnnapi.kernels.internal.portable.PortableDynamicKernels;

class DynamicProductTest {
    private final Random random = new Random(6);

    /** Rows up to two tiles, widths around groups of four, outputs around panels. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 7, 8, 11, 14, 15, 16, 29})
    void equalsItsTwin(int rows) {
        for (int inputs : new int[] {1, 3, 4, 5, 8, 17, 64, 203}) {
            for (int outputs : new int[] {1, 7, 16, 31, 32, 33, 70}) {
                check(rows, inputs, outputs, outputs % 2 == 0, outputs % 3 == 0);
            }
        }
    }

    private void check(int rows, int inputs, int outputs, boolean each, boolean relu) {
        byte[] weights = new byte[inputs * outputs];
        random.nextBytes(weights);
        float[] scales = new float[each ? outputs : 1];
        for (int i = 0; i < scales.length; i++) {
            scales[i] = random.nextFloat(0.001f, 0.1f);
        }
        int[] zeroPoints = new int[each ? outputs : 1];
        for (int i = 0; i < weights.length; i++) {
            zeroPoints[each ? i / inputs : 0] = 3;
            weights[i] = (byte) Math.max(weights[i], -125);
        }
        float[] bias = outputs % 5 == 0 ? null : Twins.randomFloats(random, outputs);
        QuantizedWeights quantized = new QuantizedWeights(weights, true, zeroPoints);
        DynamicProduct product = DynamicProduct.plan(inputs, outputs, quantized, scales, bias, relu);
        DynamicQuantization q = new DynamicQuantization(0.017, 130);
        int row = DynamicProduct.rowBytes(inputs);
        byte[] in = new byte[rows * row + 5];
        random.nextBytes(in);
        float[] expected = new float[rows * outputs];
        float[] all = new float[outputs];
        byte[] centred = new byte[weights.length];
        for (int r = 0; r < rows; r++) {
            for (int o = 0; o < outputs; o++) {
                all[o] = scales[each ? o : 0];
                int sum = 0;
                for (int i = 0; i < inputs; i++) {
                    centred[o * inputs + i] = (byte) (weights[o * inputs + i] - 3);
                    sum += ((in[5 + r * row + i] & 0xff) - q.zeroPoint()) * centred[o * inputs + i];
                }
                float value = sum * ((float) q.scale() * all[o]) + (bias == null ? 0 : bias[o]);
                expected[r * outputs + o] = relu ? Math.max(value, 0) : value;
            }
        }
        float[] actual = new float[expected.length + 1];
        product.run(in, 5, rows, q, actual, 1, 0, product.units());
        equal(expected, actual, rows + "x" + inputs + " to " + outputs);
        DynamicProductKernel portable = new PortableDynamicKernels()
                .product(
                        new DynamicSpec(inputs, outputs, centred, all, bias == null ? new float[outputs] : bias, relu));
        float[] plain = new float[expected.length + 1];
        for (int unit = 0; unit < portable.units(); unit++) {
            portable.run(in, 5, rows, q.scale(), q.zeroPoint(), plain, 1, unit, unit + 1);
        }
        equal(expected, plain, "portable " + rows + "x" + inputs + " to " + outputs);
    }

    private static void equal(float[] expected, float[] actual, String what) {
        assertEquals(0, actual[0], what);
        for (int i = 0; i < expected.length; i++) {
            assertEquals(expected[i], actual[i + 1], 0, what + " element " + i);
        }
    }

    @Test
    void checksItsArguments() {
        QuantizedWeights weights = new QuantizedWeights(new byte[6], true, new int[] {0});
        assertThrows(
                IllegalArgumentException.class, () -> DynamicProduct.plan(2, 4, weights, new float[] {1}, null, false));
        assertThrows(
                IllegalArgumentException.class, () -> DynamicProduct.plan(2, 3, weights, new float[2], null, false));
        assertThrows(
                IllegalArgumentException.class,
                () -> DynamicProduct.plan(2, 3, weights, new float[] {1}, new float[2], false));
        QuantizedWeights wide = new QuantizedWeights(new byte[] {127}, true, new int[] {-1});
        assertThrows(
                IllegalArgumentException.class, () -> DynamicProduct.plan(1, 1, wide, new float[] {1}, null, false));
        DynamicProduct product = DynamicProduct.plan(2, 3, weights, new float[] {1}, null, false);
        DynamicQuantization q = new DynamicQuantization(1, 0);
        assertThrows(IllegalArgumentException.class, () -> product.run(new byte[7], 0, 2, q, new float[6], 0, 0, 1));
        assertThrows(IllegalArgumentException.class, () -> product.run(new byte[8], 0, 2, q, new float[5], 0, 0, 1));
        assertThrows(
                IllegalArgumentException.class,
                () -> product.run(new byte[8], 0, 2, q, new float[6], 0, 0, product.units() + 1));
    }
}
