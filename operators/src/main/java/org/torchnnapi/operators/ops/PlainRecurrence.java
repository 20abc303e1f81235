package org.torchnnapi.operators.ops;

import org.torchnnapi.kernels.Activation;
import org.torchnnapi.kernels.Clamp;
import org.torchnnapi.kernels.ConvShape;
import org.torchnnapi.kernels.ElementwiseOps;
import org.torchnnapi.kernels.FloatConv;
import org.torchnnapi.kernels.ImageLayout;
import org.torchnnapi.kernels.KernelPool;
import org.torchnnapi.kernels.UnaryOp;

/**
 * One layer of a recurrent network without gates in one direction: {@code h' = f(Wi x + bi + Wh h + bh)}, by the
 * kernels.
 */
final class PlainRecurrence {
    private final boolean tanh;
    private final int inputs;
    private final int hidden;
    private final float[] inputWeights;
    private final float[] hiddenWeights;
    private final float[] bias;

    /**
     * @param tanh f: tanh, or else the rectifier
     * @param inputWeights [hidden][inputs]
     * @param hiddenWeights [hidden][hidden]
     * @param inputBias [hidden], or null for none
     * @param hiddenBias [hidden], or null for none
     */
    PlainRecurrence(
            boolean tanh,
            int inputs,
            int hidden,
            float[] inputWeights,
            float[] hiddenWeights,
            float[] inputBias,
            float[] hiddenBias) {
        this.tanh = tanh;
        this.inputs = inputs;
        this.hidden = hidden;
        this.inputWeights = inputWeights;
        this.hiddenWeights = hiddenWeights;
        bias = new float[hidden];
        for (int i = 0; i < hidden; i++) {
            bias[i] = (inputBias == null ? 0 : inputBias[i]) + (hiddenBias == null ? 0 : hiddenBias[i]);
        }
    }

    /**
     * What the inputs of all steps add: with both biases, [rows][hidden].
     *
     * @param in [rows][inputs]
     */
    float[] sums(float[] in, int rows) {
        float[] sums = new float[rows * hidden];
        if (rows > 0) {
            FloatConv product = product(inputs, rows, inputWeights, bias, Clamp.NONE);
            KernelPool.shared().run(product.units(), (begin, end) -> product.run(in, 0, sums, 0, begin, end));
        }
        return sums;
    }

    /**
     * Runs steps that all have as many sequences.
     *
     * @param sums [steps][sequences][hidden] from {@code sumsAt}, see {@link #sums}
     * @param out [steps][sequences], {@code width} apart, from {@code outAt}
     * @param state [sequences][hidden] from {@code stateAt}, replaced by that after the last step
     */
    void run(
            float[] sums,
            int sumsAt,
            float[] out,
            int outAt,
            int width,
            int steps,
            int sequences,
            boolean reverse,
            float[] state,
            int stateAt) {
        int row = sequences * hidden;
        FloatConv product = product(hidden, sequences, hiddenWeights, null, tanh ? Clamp.NONE : Clamp.RELU);
        float[] next = new float[row];
        for (int i = 0; i < steps; i++) {
            int step = reverse ? steps - 1 - i : i;
            product.runAdding(state, stateAt, sums, sumsAt + step * row, next, 0, 0, product.units());
            if (tanh) {
                ElementwiseOps.unary(UnaryOp.TANH, next, 0, state, stateAt, row);
            } else {
                System.arraycopy(next, 0, state, stateAt, row);
            }
            for (int s = 0; s < sequences; s++) {
                System.arraycopy(state, stateAt + s * hidden, out, outAt + (step * sequences + s) * width, hidden);
            }
        }
    }

    private static FloatConv product(int in, int rows, float[] weights, float[] bias, Clamp clamp) {
        return FloatConv.plan(
                ConvShape.of(in, rows, 1, weights.length / in, 1, 1),
                ImageLayout.NHWC,
                ImageLayout.NHWC,
                weights,
                bias,
                Activation.of(clamp));
    }
}
