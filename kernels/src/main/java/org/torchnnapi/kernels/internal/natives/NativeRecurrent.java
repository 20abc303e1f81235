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
    /** {@code struct walk}. */
    private static final ThreadLocal<long[]> WALK = ThreadLocal.withInitial(() -> new long[7]);

    private final int gates;
    private final int hidden;
    private final int padded;
    private final int cells;
    private final NativeMemory struct;

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
    public int blocks() {
        return padded / LANES;
    }

    @Override
    public int sumsSize(int sequences) {
        return ROWS * gates * padded;
    }

    @Override
    public int stateSize(int sequences) {
        return (2 + cells) * sequences * padded;
    }

    @Override
    public void load(Room room, int sequences, float[] state, int stateOffset, float[] cellState, int cellOffset) {
        for (int s = 0; s < sequences; s++) {
            copyPadded(state, stateOffset + s * hidden, room.state(), s * padded);
            if (cells != 0) {
                copyPadded(cellState, cellOffset + s * hidden, room.state(), (2 * sequences + s) * padded);
            }
        }
    }

    @Override
    public void run(float[] in, Strides inAt, float[] out, Strides outAt, int steps, int sequences, Room room, int firstStep, int endStep,
                    int firstBlock, int endBlock) {
        int together = ROWS / sequences & ~1;
        long[] walk = WALK.get();
        walk[0] = inAt.step();
        walk[1] = inAt.sequence();
        walk[2] = outAt.step();
        walk[3] = outAt.sequence();
        walk[6] = pair(firstBlock, endBlock);
        for (int step = firstStep; step < endStep; ) {
            int first = step / together * together;
            int count = Math.min(together, steps - first);
            int end = Math.min(endStep, first + count);
            walk[4] = pair(count, sequences);
            walk[5] = pair(step - first, end - first);
            NativeLibrary.recurrent(RECURRENT, NativeMemory.address(struct), walk, in, inAt.offset() + (long) first * inAt.step(), out,
                outAt.offset() + (long) first * outAt.step(), room.sums(), room.state());
            Reference.reachabilityFence(struct);
            step = end;
        }
    }

    private static long pair(int low, int high) {
        return low | (long) high << Integer.SIZE;
    }

    @Override
    public void store(Room room, int sequences, int steps, float[] state, int stateOffset, float[] cellState, int cellOffset) {
        int last = (steps & 1) * sequences;
        for (int s = 0; s < sequences; s++) {
            System.arraycopy(room.state(), (last + s) * padded, state, stateOffset + s * hidden, hidden);
            if (cells != 0) {
                System.arraycopy(room.state(), (2 * sequences + s) * padded, cellState, cellOffset + s * hidden, hidden);
            }
        }
    }

    private void copyPadded(float[] from, int offset, float[] to, int at) {
        System.arraycopy(from, offset, to, at, hidden);
        Arrays.fill(to, at + hidden, at + padded, 0f);
    }
}
