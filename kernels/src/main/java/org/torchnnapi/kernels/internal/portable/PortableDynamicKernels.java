package org.torchnnapi.kernels.internal.portable;

import java.util.Arrays;
import org.torchnnapi.kernels.FloatRecurrent.Cell;
import org.torchnnapi.kernels.internal.DynamicKernels;
import org.torchnnapi.kernels.internal.DynamicProductKernel;
import org.torchnnapi.kernels.internal.DynamicSpec;

/** Dynamically quantized layers on every JVM. */
public final class PortableDynamicKernels implements DynamicKernels {
    @Override
    public void range(float[] in, int inOffset, int count, float[] out, int outOffset) {
        float least = 0;
        float greatest = 0;
        for (int i = inOffset; i < inOffset + count; i++) {
            least = Math.min(least, in[i]);
            greatest = Math.max(greatest, in[i]);
        }
        out[outOffset] = least;
        out[outOffset + 1] = greatest;
    }

    @Override
    public DynamicProductKernel product(DynamicSpec spec) {
        return new Product(spec);
    }

    /** Weights lie transposed, [input][output], so that the innermost loop runs over many outputs at once. */
    private static final class Product implements DynamicProductKernel {
        /** Outputs of a unit. */
        private static final int PANEL = 64;

        private final DynamicSpec spec;
        private final short[] weights;
        private final int[] columnSums;

        Product(DynamicSpec spec) {
            this.spec = spec;
            weights = new short[spec.weights().length];
            columnSums = new int[spec.outputs()];
            for (int o = 0; o < spec.outputs(); o++) {
                for (int i = 0; i < spec.inputs(); i++) {
                    byte weight = spec.weights()[o * spec.inputs() + i];
                    weights[i * spec.outputs() + o] = weight;
                    columnSums[o] += weight;
                }
            }
        }

        @Override
        public int units() {
            return (spec.outputs() + PANEL - 1) / PANEL;
        }

        @Override
        public void run(
                byte[] in,
                int inOffset,
                int rows,
                double scale,
                int zeroPoint,
                float[] out,
                int outOffset,
                int begin,
                int end) {
            int row = spec.inputs() + 3 & ~3;
            int first = begin * PANEL;
            int[] sums = new int[Math.min(end * PANEL, spec.outputs()) - first];
            float inputScale = (float) scale;
            for (int r = 0; r < rows; r++) {
                Arrays.fill(sums, 0);
                for (int i = 0; i < spec.inputs(); i++) {
                    add(sums, in[inOffset + r * row + i] & 0xff, weights, i * spec.outputs() + first);
                }
                int at = outOffset + r * spec.outputs() + first;
                for (int o = 0; o < sums.length; o++) {
                    int sum = sums[o] - zeroPoint * columnSums[first + o];
                    float value = sum * (inputScale * spec.scales()[first + o]) + spec.bias()[first + o];
                    out[at + o] = spec.relu() ? Math.max(value, 0) : value;
                }
            }
        }

        private static void add(int[] sums, int x, short[] weights, int from) {
            for (int o = 0; o < sums.length; o++) {
                sums[o] += x * weights[from + o];
            }
        }
    }

    @Override
    public void gates(
            Cell cell,
            int units,
            float[] ofInput,
            int inputOffset,
            float[] ofHidden,
            int hiddenOffset,
            float[] states,
            int stateOffset,
            int cellOffset) {
        for (int i = 0; i < units; i++) {
            int x = inputOffset + i;
            int h = hiddenOffset + i;
            float first = sigmoid(ofInput[x] + ofHidden[h]);
            float second = sigmoid(ofInput[x + units] + ofHidden[h + units]);
            if (cell == Cell.GRU) {
                float fresh = (float) Math.tanh(ofInput[x + 2 * units] + first * ofHidden[h + 2 * units]);
                states[stateOffset + i] = (states[stateOffset + i] - fresh) * second + fresh;
            } else {
                float fresh = (float) Math.tanh(ofInput[x + 2 * units] + ofHidden[h + 2 * units]);
                float open = sigmoid(ofInput[x + 3 * units] + ofHidden[h + 3 * units]);
                states[cellOffset + i] = second * states[cellOffset + i] + first * fresh;
                states[stateOffset + i] = open * (float) Math.tanh(states[cellOffset + i]);
            }
        }
    }

    private static float sigmoid(float x) {
        return 1 / (1 + (float) Math.exp(-x));
    }
}
