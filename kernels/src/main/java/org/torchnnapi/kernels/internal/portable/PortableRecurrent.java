package org.torchnnapi.kernels.internal.portable;

import org.torchnnapi.kernels.FloatRecurrent.Cell;
import org.torchnnapi.kernels.FloatRecurrent.Strides;
import org.torchnnapi.kernels.UnaryOp;
import org.torchnnapi.kernels.internal.ElementKernels;
import org.torchnnapi.kernels.internal.ElementProvider;
import org.torchnnapi.kernels.internal.RecurrentKernel;
import org.torchnnapi.kernels.internal.RecurrentSpec;

/**
 * Recurrent layers on every JVM: weights lie transposed, [input][gate * hidden], so that the innermost loops run over
 * all gates at once; the inputs of several steps are taken together.
 */
public final class PortableRecurrent implements RecurrentKernel {
    private static final int CHUNK = 16;
    /** Hidden units that threads share no further. */
    private static final int BLOCK = 16;

    private final Cell cell;
    private final int inputs;
    private final int hidden;
    private final int rows;
    private final float[] inputWeights;
    private final float[] hiddenWeights;
    private final float[] bias;
    private final float[] hiddenBias;
    private final ElementKernels elements = ElementProvider.chosen().elements();

    public PortableRecurrent(RecurrentSpec spec) {
        cell = spec.cell();
        inputs = spec.inputs();
        hidden = spec.hidden();
        rows = cell.gates() * hidden;
        inputWeights = transposed(spec.inputWeights().values(), inputs);
        hiddenWeights = transposed(spec.hiddenWeights().values(), hidden);
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
    public int blocks() {
        return (hidden + BLOCK - 1) / BLOCK;
    }

    @Override
    public int together(int sequences) {
        return CHUNK;
    }

    /** {@code [steps][sequences][rows]}. */
    @Override
    public int sumsSize(int steps, int sequences) {
        return Math.multiplyExact(Math.multiplyExact(steps, sequences), rows);
    }

    /**
     * Outputs before and after a step, in turns, then cells: each {@code [sequences][hidden]}; then a step's sums over
     * the outputs before.
     */
    @Override
    public int stateSize(int sequences) {
        return 3 * sequences * hidden + rows;
    }

    @Override
    public void load(float[] state, int sequences, float[] outputs, int outputOffset, float[] cells, int cellOffset) {
        System.arraycopy(outputs, outputOffset, state, 0, sequences * hidden);
        if (cell == Cell.LSTM) {
            System.arraycopy(cells, cellOffset, state, 2 * sequences * hidden, sequences * hidden);
        }
    }

    @Override
    public void store(
            float[] state, int sequences, int steps, float[] outputs, int outputOffset, float[] cells, int cellOffset) {
        System.arraycopy(state, (steps & 1) * sequences * hidden, outputs, outputOffset, sequences * hidden);
        if (cell == Cell.LSTM) {
            System.arraycopy(state, 2 * sequences * hidden, cells, cellOffset, sequences * hidden);
        }
    }

    @Override
    public void project(
            float[] in, Strides inAt, int steps, int sequences, float[] sums, int firstBlock, int endBlock) {
        for (int s = 0; s < sequences; s++) {
            project(
                    in,
                    inAt.offset() + s * inAt.sequence(),
                    inAt.step(),
                    steps,
                    sums,
                    s * rows,
                    sequences * rows,
                    firstBlock * BLOCK,
                    Math.min(endBlock * BLOCK, hidden));
        }
    }

    @Override
    public void steps(
            float[] sums,
            float[] out,
            Strides outAt,
            int sequences,
            float[] state,
            int firstStep,
            int endStep,
            int firstBlock,
            int endBlock) {
        int first = firstBlock * BLOCK;
        int end = Math.min(endBlock * BLOCK, hidden);
        int ofHidden = 3 * sequences * hidden;
        for (int s = 0; s < sequences; s++) {
            int to = outAt.offset() + s * outAt.sequence();
            for (int step = firstStep; step < endStep; step++) {
                int before = ((step & 1) * sequences + s) * hidden;
                int after = ((~step & 1) * sequences + s) * hidden;
                int ofInput = (step * sequences + s) * rows;
                addHidden(state, ofHidden, before, first, end);
                if (cell == Cell.GRU) {
                    gru(sums, ofInput, state, ofHidden, before, after, first, end);
                } else {
                    lstm(sums, ofInput, state, ofHidden, after, (2 * sequences + s) * hidden, first, end);
                }
                System.arraycopy(state, after + first, out, to + step * outAt.step() + first, end - first);
            }
        }
    }

    /** Gates whose units [first, end) adjoin those of the next gate: all where all units are wanted. */
    private int runs(int first, int end) {
        return end - first == hidden ? 1 : cell.gates();
    }

    /** Of one sequence: the sums of step i lie from {@code at + i * stride} on. */
    private void project(
            float[] in, int from, int step, int count, float[] sums, int at, int stride, int first, int end) {
        int runs = runs(first, end);
        int length = runs == 1 ? rows : end - first;
        for (int run = 0; run < runs; run++) {
            int row = run * hidden + first;
            for (int i = 0; i < count; i++) {
                System.arraycopy(bias, row, sums, at + i * stride + row, length);
            }
            int k = 0;
            for (; k + 4 <= inputs; k += 4) {
                for (int i = 0; i < count; i++) {
                    addFour(sums, at + i * stride + row, inputWeights, k * rows + row, in, from + i * step + k, length);
                }
            }
            for (; k < inputs; k++) {
                for (int i = 0; i < count; i++) {
                    addOne(sums, at + i * stride + row, inputWeights, k * rows + row, in[from + i * step + k], length);
                }
            }
        }
    }

    /** The sums over the outputs before a step, into the state from {@code at} on. */
    private void addHidden(float[] state, int at, int before, int first, int end) {
        int runs = runs(first, end);
        int length = runs == 1 ? rows : end - first;
        for (int run = 0; run < runs; run++) {
            int row = run * hidden + first;
            System.arraycopy(hiddenBias, row, state, at + row, length);
            int k = 0;
            for (; k + 4 <= hidden; k += 4) {
                addFour(state, at + row, hiddenWeights, k * rows + row, state, before + k, length);
            }
            for (; k < hidden; k++) {
                addOne(state, at + row, hiddenWeights, k * rows + row, state[before + k], length);
            }
        }
    }

    private void addFour(float[] sums, int at, float[] w, int row, float[] x, int from, int n) {
        float a = x[from];
        float b = x[from + 1];
        float c = x[from + 2];
        float d = x[from + 3];
        int second = row + rows;
        int third = second + rows;
        int fourth = third + rows;
        for (int i = 0; i < n; i++) {
            sums[at + i] += a * w[row + i] + b * w[second + i] + c * w[third + i] + d * w[fourth + i];
        }
    }

    private static void addOne(float[] sums, int at, float[] w, int row, float x, int n) {
        for (int i = 0; i < n; i++) {
            sums[at + i] += x * w[row + i];
        }
    }

    /**
     * Adds the input's sums of one gate's units at {@code x} to those at {@code h} of the state, and applies the gate's
     * function.
     */
    private void activate(UnaryOp function, float[] sums, int x, float[] state, int h, int gate, int first, int end) {
        int at = gate * hidden + first;
        for (int i = at; i < at + end - first; i++) {
            state[h + i] += sums[x + i];
        }
        elements.unary(function, state, h + at, state, h + at, end - first);
    }

    private void gru(float[] sums, int x, float[] state, int h, int before, int after, int first, int end) {
        int n = hidden;
        activate(UnaryOp.SIGMOID, sums, x, state, h, 0, first, end);
        activate(UnaryOp.SIGMOID, sums, x, state, h, 1, first, end);
        for (int i = first; i < end; i++) {
            state[h + 2 * n + i] *= state[h + i];
        }
        activate(UnaryOp.TANH, sums, x, state, h, 2, first, end);
        for (int i = first; i < end; i++) {
            float fresh = state[h + 2 * n + i];
            state[after + i] = fresh + state[h + n + i] * (state[before + i] - fresh);
        }
    }

    private void lstm(float[] sums, int x, float[] state, int h, int after, int cells, int first, int end) {
        int n = hidden;
        activate(UnaryOp.SIGMOID, sums, x, state, h, 0, first, end);
        activate(UnaryOp.SIGMOID, sums, x, state, h, 1, first, end);
        activate(UnaryOp.TANH, sums, x, state, h, 2, first, end);
        activate(UnaryOp.SIGMOID, sums, x, state, h, 3, first, end);
        for (int i = first; i < end; i++) {
            state[cells + i] = state[h + n + i] * state[cells + i] + state[h + i] * state[h + 2 * n + i];
        }
        elements.unary(UnaryOp.TANH, state, cells + first, state, h + first, end - first);
        for (int i = first; i < end; i++) {
            state[after + i] = state[h + 3 * n + i] * state[h + i];
        }
    }
}
