package org.torchnnapi.kernels.internal.natives;

import java.nio.FloatBuffer;
import java.util.Arrays;
import java.util.List;
import org.torchnnapi.kernels.FloatRecurrent.Strides;
import org.torchnnapi.kernels.Weights;
import org.torchnnapi.kernels.internal.RecurrentKernel;
import org.torchnnapi.kernels.internal.RecurrentProvider;
import org.torchnnapi.kernels.internal.RecurrentSpec;
import org.torchnnapi.tensor.platform.Reachability;

/** Recurrent layers in C; see recurrent.h for the structures and how the weights lie. */
final class NativeRecurrent implements RecurrentKernel {
    private static final long PROJECT = NativeLibrary.function("recurrent_project");
    private static final long STEPS = NativeLibrary.function("recurrent_steps");
    private static final int LANES = NativeLibrary.number("recurrent_lanes");
    private static final int STRUCT_SIZE = 48;
    /**
     * Rows of sums that one call makes: garbage collection waits for a call to end, so that calls are short. A multiple
     * of those that the kernels take at once, 3 or 6.
     */
    private static final int ROWS = 30;
    /** {@code struct walk}. */
    private static final ThreadLocal<long[]> WALK = ThreadLocal.withInitial(() -> new long[5]);

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
        struct = new NativeStruct(STRUCT_SIZE)
                .pointers(
                        packed(spec.inputWeights(), spec.inputs()),
                        packed(spec.hiddenWeights(), hidden),
                        packed(Weights.of(bias), 1),
                        NativeMemory.copyOf(hiddenBias))
                .ints(gates, spec.inputs(), hidden, blocks)
                .memory();
    }

    /** From [gate][hidden][column] to [block][column][gate][LANES], zeros past the last unit. */
    private NativeMemory packed(Weights weights, int columns) {
        int count = Math.multiplyExact(Math.multiplyExact(padded, columns), gates);
        return PackedWeightCache.of(
                weights,
                List.of(NativeRecurrent.class, gates, hidden, columns),
                (long) Float.BYTES * count,
                packed -> pack(weights.values(), columns, packed.bytes().asFloatBuffer()));
    }

    private void pack(float[] weights, int columns, FloatBuffer out) {
        for (int gate = 0; gate < gates; gate++) {
            for (int unit = 0; unit < hidden; unit++) {
                for (int column = 0; column < columns; column++) {
                    out.put(
                            ((unit / LANES * columns + column) * gates + gate) * LANES + unit % LANES,
                            weights[(gate * hidden + unit) * columns + column]);
                }
            }
        }
    }

    @Override
    public int blocks() {
        return padded / LANES;
    }

    @Override
    public int together(int sequences) {
        return ROWS / sequences & ~1;
    }

    @Override
    public int sumsSize(int steps, int sequences) {
        return Math.multiplyExact(Math.multiplyExact(steps, sequences), gates * padded);
    }

    @Override
    public int stateSize(int sequences) {
        return (2 + cells) * sequences * padded;
    }

    @Override
    public void load(
            float[] state, int sequences, float[] outputs, int outputOffset, float[] cellState, int cellOffset) {
        for (int s = 0; s < sequences; s++) {
            copyPadded(outputs, outputOffset + s * hidden, state, s * padded);
            if (cells != 0) {
                copyPadded(cellState, cellOffset + s * hidden, state, (2 * sequences + s) * padded);
            }
        }
    }

    @Override
    public void project(
            float[] in, Strides inAt, int steps, int sequences, float[] sums, int firstBlock, int endBlock) {
        NativeLibrary.recurrent(
                PROJECT,
                NativeMemory.address(struct),
                walk(inAt, sequences, 0, steps, firstBlock, endBlock),
                in,
                inAt.offset(),
                sums,
                0,
                null);
        Reachability.fence(struct);
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
        NativeLibrary.recurrent(
                STEPS,
                NativeMemory.address(struct),
                walk(outAt, sequences, firstStep, endStep, firstBlock, endBlock),
                sums,
                0,
                out,
                outAt.offset(),
                state);
        Reachability.fence(struct);
    }

    private static long[] walk(Strides at, int sequences, int firstStep, int endStep, int firstBlock, int endBlock) {
        long[] walk = WALK.get();
        walk[0] = at.step();
        walk[1] = at.sequence();
        walk[2] = pair(sequences, firstStep);
        walk[3] = pair(endStep, firstBlock);
        walk[4] = endBlock;
        return walk;
    }

    private static long pair(int low, int high) {
        return low | (long) high << Integer.SIZE;
    }

    @Override
    public void store(
            float[] state,
            int sequences,
            int steps,
            float[] outputs,
            int outputOffset,
            float[] cellState,
            int cellOffset) {
        int last = (steps & 1) * sequences;
        for (int s = 0; s < sequences; s++) {
            System.arraycopy(state, (last + s) * padded, outputs, outputOffset + s * hidden, hidden);
            if (cells != 0) {
                System.arraycopy(state, (2 * sequences + s) * padded, cellState, cellOffset + s * hidden, hidden);
            }
        }
    }

    private void copyPadded(float[] from, int offset, float[] to, int at) {
        System.arraycopy(from, offset, to, at, hidden);
        Arrays.fill(to, at + hidden, at + padded, 0f);
    }
}
