package org.torchnnapi.kernels.internal.portable;

import org.torchnnapi.kernels.FloatRecurrent.Cell;
import org.torchnnapi.kernels.FloatRecurrent.Strides;
import org.torchnnapi.kernels.UnaryOp;
import org.torchnnapi.kernels.internal.ElementKernels;
import org.torchnnapi.kernels.internal.ElementProvider;
import org.torchnnapi.kernels.internal.RecurrentKernel;
import org.torchnnapi.kernels.internal.RecurrentSpec;

/**
 * Recurrent layers on every JVM: weights lie transposed, [input][gate * hidden], so that the innermost loops run over all gates at once;
 * the inputs of several steps are taken together.
 */
public final class PortableRecurrent implements RecurrentKernel {
    private static final int CHUNK = 16;
    private static final ThreadLocal<Scratch> SCRATCH = ThreadLocal.withInitial(Scratch::new);

    private final Cell cell;
    private final int inputs;
    private final int hidden;
    private final int rows;
    private final float[] inputWeights;
    private final float[] hiddenWeights;
    private final float[] bias;
    private final float[] hiddenBias;
    private final ElementKernels elements = ElementProvider.chosen().elements();

    /** One thread's buffers, grown to the largest layer it has run. */
    private static final class Scratch {
        private float[] sums = {};
        private float[] ofHidden = {};

        void grow(int rows) {
            if (ofHidden.length < rows) {
                sums = new float[CHUNK * rows];
                ofHidden = new float[rows];
            }
        }
    }

    public PortableRecurrent(RecurrentSpec spec) {
        cell = spec.cell();
        inputs = spec.inputs();
        hidden = spec.hidden();
        rows = cell.gates() * hidden;
        inputWeights = transposed(spec.inputWeights(), inputs);
        hiddenWeights = transposed(spec.hiddenWeights(), hidden);
        bias = spec.inputBias().clone();
        hiddenBias = new float[rows];
        for (int row = 0; row < rows; row++) {
            if (spec.sharesBias(row / hidden)) {
                bias[row] += spec.hiddenBias()[row];
            } else {
                hiddenBias[row] = spec.hiddenBias()[row];
            }
        }
    }

    private float[] transposed(float[] weights, int columns) {
        float[] out = new float[weights.length];
        for (int row = 0; row < rows; row++) {
            for (int column = 0; column < columns; column++) {
                out[column * rows + row] = weights[row * columns + column];
            }
        }
        return out;
    }

    @Override
    public void run(float[] in, Strides inAt, float[] out, Strides outAt, int steps, int first, int sequences, float[] state, int stateOffset,
                    float[] cells, int cellOffset) {
        Scratch scratch = SCRATCH.get();
        scratch.grow(rows);
        for (int s = 0; s < sequences; s++) {
            int from = inAt.offset() + (first + s) * inAt.sequence();
            int to = outAt.offset() + (first + s) * outAt.sequence();
            int h = stateOffset + s * hidden;
            for (int step = 0; step < steps; step += CHUNK) {
                int count = Math.min(CHUNK, steps - step);
                project(in, from + step * inAt.step(), inAt.step(), count, scratch.sums);
                for (int i = 0; i < count; i++) {
                    System.arraycopy(hiddenBias, 0, scratch.ofHidden, 0, rows);
                    addProduct(scratch.ofHidden, 0, hiddenWeights, state, h, hidden);
                    if (cell == Cell.GRU) {
                        gru(scratch.sums, i * rows, scratch.ofHidden, state, h);
                    } else {
                        lstm(scratch.sums, i * rows, scratch.ofHidden, state, h, cells, cellOffset + s * hidden);
                    }
                    System.arraycopy(state, h, out, to + (step + i) * outAt.step(), hidden);
                }
            }
        }
    }

    private void project(float[] in, int from, int step, int count, float[] sums) {
        for (int i = 0; i < count; i++) {
            System.arraycopy(bias, 0, sums, i * rows, rows);
        }
        int k = 0;
        for (; k + 4 <= inputs; k += 4) {
            for (int i = 0; i < count; i++) {
                addFour(sums, i * rows, inputWeights, k * rows, in, from + i * step + k, rows);
            }
        }
        for (; k < inputs; k++) {
            for (int i = 0; i < count; i++) {
                addOne(sums, i * rows, inputWeights, k * rows, in[from + i * step + k], rows);
            }
        }
    }

    private void addProduct(float[] sums, int at, float[] weights, float[] x, int from, int depth) {
        int k = 0;
        for (; k + 4 <= depth; k += 4) {
            addFour(sums, at, weights, k * rows, x, from + k, rows);
        }
        for (; k < depth; k++) {
            addOne(sums, at, weights, k * rows, x[from + k], rows);
        }
    }

    private static void addFour(float[] sums, int at, float[] w, int row, float[] x, int from, int n) {
        float a = x[from];
        float b = x[from + 1];
        float c = x[from + 2];
        float d = x[from + 3];
        int second = row + n;
        int third = second + n;
        int fourth = third + n;
        for (int i = 0; i < n; i++) {
            sums[at + i] += a * w[row + i] + b * w[second + i] + c * w[third + i] + d * w[fourth + i];
        }
    }

    private static void addOne(float[] sums, int at, float[] w, int row, float x, int n) {
        for (int i = 0; i < n; i++) {
            sums[at + i] += x * w[row + i];
        }
    }

    /** Gates in {@code x} from {@code at} on; {@code h} is overwritten. */
    private void gru(float[] x, int at, float[] h, float[] state, int s) {
        int n = hidden;
        for (int i = 0; i < 2 * n; i++) {
            h[i] += x[at + i];
        }
        elements.unary(UnaryOp.SIGMOID, h, 0, h, 0, 2 * n);
        for (int i = 0; i < n; i++) {
            h[2 * n + i] = x[at + 2 * n + i] + h[i] * h[2 * n + i];
        }
        elements.unary(UnaryOp.TANH, h, 2 * n, h, 2 * n, n);
        for (int i = 0; i < n; i++) {
            state[s + i] = h[2 * n + i] + h[n + i] * (state[s + i] - h[2 * n + i]);
        }
    }

    private void lstm(float[] x, int at, float[] h, float[] state, int s, float[] cells, int c) {
        int n = hidden;
        for (int i = 0; i < 4 * n; i++) {
            h[i] += x[at + i];
        }
        elements.unary(UnaryOp.SIGMOID, h, 0, h, 0, 2 * n);
        elements.unary(UnaryOp.TANH, h, 2 * n, h, 2 * n, n);
        elements.unary(UnaryOp.SIGMOID, h, 3 * n, h, 3 * n, n);
        for (int i = 0; i < n; i++) {
            cells[c + i] = h[n + i] * cells[c + i] + h[i] * h[2 * n + i];
        }
        elements.unary(UnaryOp.TANH, cells, c, h, 0, n);
        for (int i = 0; i < n; i++) {
            state[s + i] = h[3 * n + i] * h[i];
        }
    }
}
