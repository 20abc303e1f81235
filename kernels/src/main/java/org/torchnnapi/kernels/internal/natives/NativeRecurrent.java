package org.torchnnapi.kernels.internal.natives;

import java.lang.ref.Reference;
import java.util.Arrays;
import org.torchnnapi.kernels.FloatRecurrent.Strides;
import org.torchnnapi.kernels.internal.RecurrentKernel;
import org.torchnnapi.kernels.internal.RecurrentProvider;
import org.torchnnapi.kernels.internal.RecurrentSpec;

/** Recurrent layers in C; see recurrent.h for the structures and how the weights lie. */
final class NativeRecurrent implements RecurrentKernel {
    private static final long RECURRENT = NativeLibrary.function("recurrent");
    private static final int LANES = NativeLibrary.number("recurrent_lanes");
    private static final int STRUCT_SIZE = 48;
    /**
     * Rows of sums that one call makes room for: garbage collection waits for a call to end, so that calls are short. Even, for the
     * outputs to end in the first of their two places after each call but the last.
     */
    private static final int ROWS = 32;
    private static final ThreadLocal<Scratch> SCRATCH = ThreadLocal.withInitial(Scratch::new);

    private final int gates;
    private final int hidden;
    private final int padded;
    private final int cells;
    private final NativeMemory struct;

    /** One thread's buffers, grown to the largest layer it has run. */
    private static final class Scratch {
        /** {@code struct walk}. */
        private final long[] walk = new long[5];
        private float[] sums = {};
        private float[] state = {};

        void grow(int sumsSize, int stateSize) {
            if (sums.length < sumsSize) {
                sums = new float[sumsSize];
            }
            if (state.length < stateSize) {
                state = new float[stateSize];
            }
        }
    }

    /** Loaded by name. */
    public static final class Provider implements RecurrentProvider {
        @Override
        public RecurrentKernel plan(RecurrentSpec spec) {
            return new NativeRecurrent(spec);
        }
    }

    NativeRecurrent(RecurrentSpec spec) {
        gates = spec.cell().gates();
        hidden = spec.hidden();
        cells = gates == 4 ? 1 : 0;
        int blocks = (hidden + LANES - 1) / LANES;
        padded = blocks * LANES;
        float[] bias = new float[gates * hidden];
        float[] hiddenBias = new float[padded];
        for (int row = 0; row < bias.length; row++) {
            boolean shared = spec.sharesBias(row / hidden);
            bias[row] = spec.inputBias()[row] + (shared ? spec.hiddenBias()[row] : 0);
            if (!shared) {
                hiddenBias[row % hidden] = spec.hiddenBias()[row];
            }
        }
        struct = new NativeStruct(STRUCT_SIZE).pointers(packed(spec.inputWeights(), spec.inputs()), packed(spec.hiddenWeights(), hidden),
            packed(bias, 1), NativeMemory.copyOf(hiddenBias)).ints(gates, spec.inputs(), hidden, blocks).memory();
    }

    /** From [gate][hidden][column] to [block][column][gate][LANES], zeros past the last unit. */
    private NativeMemory packed(float[] weights, int columns) {
        float[] out = new float[Math.multiplyExact(Math.multiplyExact(padded, columns), gates)];
        for (int gate = 0; gate < gates; gate++) {
            for (int unit = 0; unit < hidden; unit++) {
                for (int column = 0; column < columns; column++) {
                    out[((unit / LANES * columns + column) * gates + gate) * LANES + unit % LANES] =
                        weights[(gate * hidden + unit) * columns + column];
                }
            }
        }
        return NativeMemory.copyOf(out);
    }

    @Override
    public void run(float[] in, Strides inAt, float[] out, Strides outAt, int steps, int first, int sequences, float[] state, int stateOffset,
                    float[] cellState, int cellOffset) {
        Scratch scratch = SCRATCH.get();
        scratch.grow(ROWS * gates * padded, (2 + cells) * sequences * padded);
        for (int s = 0; s < sequences; s++) {
            copyPadded(state, stateOffset + s * hidden, scratch.state, s * padded);
            if (cells != 0) {
                copyPadded(cellState, cellOffset + s * hidden, scratch.state, (2 * sequences + s) * padded);
            }
        }
        int together = ROWS / sequences & ~1;
        scratch.walk[0] = inAt.step();
        scratch.walk[1] = inAt.sequence();
        scratch.walk[2] = outAt.step();
        scratch.walk[3] = outAt.sequence();
        for (int step = 0; step < steps; step += together) {
            int count = Math.min(together, steps - step);
            scratch.walk[4] = count | (long) sequences << Integer.SIZE;
            NativeLibrary.recurrent(RECURRENT, NativeMemory.address(struct), scratch.walk, in,
                inAt.offset() + (long) step * inAt.step() + (long) first * inAt.sequence(), out,
                outAt.offset() + (long) step * outAt.step() + (long) first * outAt.sequence(), scratch.sums, scratch.state);
            Reference.reachabilityFence(struct);
        }
        int last = (steps & 1) * sequences;
        for (int s = 0; s < sequences; s++) {
            System.arraycopy(scratch.state, (last + s) * padded, state, stateOffset + s * hidden, hidden);
            if (cells != 0) {
                System.arraycopy(scratch.state, (2 * sequences + s) * padded, cellState, cellOffset + s * hidden, hidden);
            }
        }
    }

    private void copyPadded(float[] from, int offset, float[] to, int at) {
        System.arraycopy(from, offset, to, at, hidden);
        Arrays.fill(to, at + hidden, at + padded, 0f);
    }
}
