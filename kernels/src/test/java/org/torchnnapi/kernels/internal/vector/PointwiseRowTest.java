package org.torchnnapi.kernels.internal.vector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.torchnnapi.kernels.internal.vector.Lanes.V;

import org.junit.jupiter.api.Test;
import org.torchnnapi.kernels.Activation;
import org.torchnnapi.kernels.ConvShape;
import org.torchnnapi.kernels.ImageLayout;
import org.torchnnapi.kernels.Requantization;
import org.torchnnapi.kernels.Weights;
import org.torchnnapi.kernels.internal.FloatConvSpec;

class PointwiseRowTest extends VectorTest {
    @Test
    void equalsTheSumsWrittenDown() {
        for (int[] size :
                new int[][] {{1, 1, 7}, {V, 2 * V, 7}, {V + 3, 3 * V, 9}, {2 * V, V + 1, 15}, {5, 4 * V, 28}}) {
            check(size[0], size[1], size[2], null);
            for (Requantization rule : rules(size[1])) {
                check(size[0], size[1], size[2], rule);
            }
        }
    }

    private void check(int inC, int outC, int columns, Requantization rule) {
        float[] weights = integers(inC * outC, 127);
        float[] bias = integers(outC, 3000);
        FloatConvSpec spec = new FloatConvSpec(
                ConvShape.of(inC, 1, columns, outC, 1, 1),
                ImageLayout.NHWC,
                ImageLayout.NHWC,
                Weights.of(weights),
                bias,
                Activation.NONE);
        int outStep = columns * V + 5;
        PointwiseRow row = new PointwiseRow(spec, columns, outStep, rule == null ? null : new RuleLanes(rule, outC));
        float[] in = integers(2 + (inC + V - 1) / V * columns * V, 255);
        float[] out = new float[3 + (outC + V - 1) / V * outStep];
        row.run(in, 2, out, 3, new float[2 * V]);
        for (int oc = 0; oc < outC; oc++) {
            for (int x = 0; x < columns; x++) {
                float sum = bias[oc];
                for (int ic = 0; ic < inC; ic++) {
                    sum += weights[oc * inC + ic] * in[2 + (ic / V * columns + x) * V + ic % V];
                }
                float expected = rule == null ? sum : rule.apply((int) sum, oc) - rule.zeroPoint();
                assertEquals(expected, out[3 + oc / V * outStep + x * V + oc % V]);
            }
        }
    }

    private float[] integers(int count, int bound) {
        float[] values = new float[count];
        for (int i = 0; i < count; i++) {
            values[i] = random.nextInt(-bound, bound + 1);
        }
        return values;
    }
}
