package org.torchnnapi.kernels;

import org.torchnnapi.kernels.internal.RecurrentKernel;
import org.torchnnapi.kernels.internal.RecurrentProvider;
import org.torchnnapi.kernels.internal.RecurrentSpec;

/**
 * One layer of a recurrent network in one direction, its weights packed once. Sequences of a batch are independent; a unit of work is
 * {@link #SEQUENCES} of them.
 */
public final class FloatRecurrent {
    /** Sequences that are computed together: the weights are read once for all. */
    public static final int SEQUENCES = 4;

    /** How a step's gates follow from the sums over its input x and over the output h of the step before. */
    public enum Cell {
        /**
         * Gates reset, update, new (Cho et al. 2014, with the reset gate acting on the summed previous output, as cuDNN and PyTorch have it):
         * {@code r = sigmoid(x_r + h_r), z = sigmoid(x_z + h_z), n = tanh(x_n + r * h_n), h' = (1 - z) * n + z * h}.
         */
        GRU(3),
        /**
         * Gates input, forget, cell, output (Hochreiter and Schmidhuber 1997; Gers et al. 2000):
         * {@code c' = sigmoid(f) * c + sigmoid(i) * tanh(g), h' = sigmoid(o) * tanh(c')}.
         */
        LSTM(4);

        private final int gates;

        Cell(int gates) {
            this.gates = gates;
        }

        public int gates() {
            return gates;
        }
    }

    /**
     * Where the vectors of a batch of sequences begin in an array: that of step t of sequence s at {@code offset + t * step + s * sequence}.
     * With time first, {@code step = batch * width, sequence = width}; with the batch first, {@code step = width, sequence = steps * width}.
     */
    public record Strides(int offset, int step, int sequence) {
    }

    private final RecurrentSpec spec;
    private final RecurrentKernel kernel;

    private FloatRecurrent(RecurrentSpec spec) {
        this.spec = spec;
        kernel = RecurrentProvider.chosen().plan(spec);
    }

    /**
     * Packs a layer.
     *
     * @param inputWeights  [gates * hidden][inputs], gate after gate in the order of the cell
     * @param hiddenWeights [gates * hidden][hidden]
     * @param inputBias     [gates * hidden], or null for none
     * @param hiddenBias    [gates * hidden], or null for none
     */
    public static FloatRecurrent plan(Cell cell, int inputs, int hidden, float[] inputWeights, float[] hiddenWeights, float[] inputBias,
                                      float[] hiddenBias) {
        Check.atLeast("inputs", inputs, 1);
        Check.atLeast("hidden units", hidden, 1);
        long rows = (long) cell.gates() * hidden;
        Check.length("input weights", inputWeights.length, rows * inputs);
        Check.length("hidden weights", hiddenWeights.length, rows * hidden);
        float[] ofInput = inputBias == null ? new float[(int) rows] : inputBias;
        float[] ofHidden = hiddenBias == null ? new float[(int) rows] : hiddenBias;
        Check.length("input bias", ofInput.length, rows);
        Check.length("hidden bias", ofHidden.length, rows);
        return new FloatRecurrent(new RecurrentSpec(cell, inputs, hidden, inputWeights, hiddenWeights, ofInput, ofHidden));
    }

    /** Shares the work over that many sequences can be cut into. */
    public int units(int sequences) {
        return (sequences + SEQUENCES - 1) / SEQUENCES;
    }

    /**
     * Does units [begin, end).
     *
     * @param reverse from the last step to the first; outputs stay at the places of their inputs
     * @param hidden  [sequences][hidden] from {@code hiddenOffset}: the output before the first step, replaced by that of the last
     * @param cells   [sequences][hidden] from {@code cellOffset}: an LSTM's cell state, likewise; null for a GRU
     */
    public void run(float[] in, Strides inAt, float[] out, Strides outAt, int steps, int sequences, boolean reverse, float[] hidden,
                    int hiddenOffset, float[] cells, int cellOffset, int begin, int end) {
        Check.atLeast("steps", steps, 0);
        Check.atLeast("sequences", sequences, 0);
        Check.range(begin, end, units(sequences));
        if (begin == end || steps == 0) {
            return;
        }
        Check.room("input", in.length, inAt.offset(), reach(inAt, steps, sequences, spec.inputs()));
        Check.room("output", out.length, outAt.offset(), reach(outAt, steps, sequences, spec.hidden()));
        Check.room("hidden state", hidden.length, hiddenOffset, (long) sequences * spec.hidden());
        if (spec.cell() == Cell.LSTM) {
            Check.room("cell state", cells.length, cellOffset, (long) sequences * spec.hidden());
        }
        Strides from = inAt;
        Strides to = outAt;
        if (reverse) {
            from = new Strides(inAt.offset() + (steps - 1) * inAt.step(), -inAt.step(), inAt.sequence());
            to = new Strides(outAt.offset() + (steps - 1) * outAt.step(), -outAt.step(), outAt.sequence());
        }
        for (int first = begin * SEQUENCES; first < Math.min(end * SEQUENCES, sequences); first += SEQUENCES) {
            kernel.run(in, from, out, to, steps, first, Math.min(SEQUENCES, sequences - first), hidden, hiddenOffset + first * spec.hidden(),
                cells, cellOffset + first * spec.hidden());
        }
    }

    /** Does all of it over the threads of a pool. */
    public void run(float[] in, Strides inAt, float[] out, Strides outAt, int steps, int sequences, boolean reverse, float[] hidden,
                    int hiddenOffset, float[] cells, int cellOffset, KernelPool pool) {
        pool.run(units(sequences), (begin, end) -> run(in, inAt, out, outAt, steps, sequences, reverse, hidden, hiddenOffset, cells, cellOffset,
            begin, end));
    }

    private static long reach(Strides at, int steps, int sequences, int width) {
        Check.atLeast("stride", Math.min(at.step(), at.sequence()), 0);
        return (steps - 1L) * at.step() + (sequences - 1L) * at.sequence() + width;
    }
}
