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

/** Recurrent layers in C; see recurrent.c. */
final class NativeRecurrent implements RecurrentKernel {
    private static final long PROJECT = NativeLibrary.function("recurrent_project");
    private static final long STEPS = NativeLibrary.function("recurrent_steps");
    private static final int LANES = NativeLibrary.number("recurrent_lanes");
    /**
     * Rows of sums that one call makes: garbage collection waits for a call to end, so that calls are short. A multiple
     * of those that the kernels take at once, 3 or 6.
     */
    private static final int ROWS = 30;

    private static final ThreadLocal<Walk> WALK = ThreadLocal.withInitial(Walk::new);

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
        struct = new RecurrentStruct()
                .inputWeights(packed(spec.inputWeights(), spec.inputs()))
                .hiddenWeights(packed(spec.hiddenWeights(), hidden))
                .bias(packed(Weights.of(bias), 1))
                .hiddenBias(NativeMemory.copyOf(hiddenBias))
                .gates(gates)
                .inputs(spec.inputs())
                .hidden(hidden)
                .blocks(blocks)
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
        NativeMemory walk = walk(inAt, sequences, 0, steps, firstBlock, endBlock);
        NativeLibrary.recurrent(
                PROJECT, NativeMemory.address(struct), NativeMemory.address(walk), in, inAt.offset(), sums, 0, null);
        Reachability.fence(struct);
        Reachability.fence(walk);
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
        NativeMemory walk = walk(outAt, sequences, firstStep, endStep, firstBlock, endBlock);
        NativeLibrary.recurrent(
                STEPS, NativeMemory.address(struct), NativeMemory.address(walk), sums, 0, out, outAt.offset(), state);
        Reachability.fence(struct);
        Reachability.fence(walk);
    }

    private static NativeMemory walk(
            Strides at, int sequences, int firstStep, int endStep, int firstBlock, int endBlock) {
        Walk walk = WALK.get();
        walk.struct
                .step(at.step())
                .sequence(at.sequence())
                .sequences(sequences)
                .firstStep(firstStep)
                .endStep(endStep)
                .firstBlock(firstBlock)
                .endBlock(endBlock)
                .write(walk.memory);
        return walk.memory;
    }

    /** One thread's structure, so that calls make no garbage. */
    private static final class Walk {
        private final WalkStruct struct = new WalkStruct();
        private final NativeMemory memory = new NativeMemory(WalkStruct.BYTES);
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
