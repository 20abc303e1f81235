package org.torchnnapi.kernels.internal.foreign;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.Arrays;
import org.torchnnapi.kernels.FloatRecurrent.Strides;
import org.torchnnapi.kernels.internal.RecurrentKernel;
import org.torchnnapi.kernels.internal.RecurrentProvider;
import org.torchnnapi.kernels.internal.RecurrentSpec;

/** Recurrent layers in C; see recurrent.h for the structures and how the weights lie. */
final class NativeRecurrent implements RecurrentKernel {
    private static final MethodHandle RECURRENT = NativeLibrary.function("recurrent", FunctionDescriptor.ofVoid(ADDRESS, ADDRESS, ADDRESS,
        JAVA_LONG, ADDRESS, JAVA_LONG, ADDRESS, ADDRESS));
    private static final int LANES = NativeLibrary.number("tnn_" + NativeLibrary.ISA + "_recurrent_lanes");
    private static final int ALIGNMENT = 64;
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
    private final MemorySegment struct;

    /** One thread's buffers, grown to the largest layer it has run. */
    private static final class Scratch {
        /** {@code struct walk}. */
        private final long[] walk = new long[5];
        private final MemorySegment walkSegment = MemorySegment.ofArray(walk);
        private float[] sums = {};
        private float[] state = {};
        private MemorySegment sumsSegment;
        private MemorySegment stateSegment;

        void grow(int sumsSize, int stateSize) {
            if (sums.length < sumsSize) {
                sums = new float[sumsSize];
                sumsSegment = MemorySegment.ofArray(sums);
            }
            if (state.length < stateSize) {
                state = new float[stateSize];
                stateSegment = MemorySegment.ofArray(state);
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
        Arena arena = Arena.ofAuto();
        struct = arena.allocate(48, ALIGNMENT);
        struct.set(ADDRESS, 0, packed(spec.inputWeights(), spec.inputs(), arena));
        struct.set(ADDRESS, 8, packed(spec.hiddenWeights(), hidden, arena));
        struct.set(ADDRESS, 16, packed(bias, 1, arena));
        struct.set(ADDRESS, 24, copied(hiddenBias, arena));
        int[] numbers = {gates, spec.inputs(), hidden, blocks};
        for (int i = 0; i < numbers.length; i++) {
            struct.set(JAVA_INT, 32 + 4L * i, numbers[i]);
        }
    }

    /** From [gate][hidden][column] to [block][column][gate][LANES], zeros past the last unit. */
    private MemorySegment packed(float[] weights, int columns, Arena arena) {
        float[] out = new float[Math.multiplyExact(Math.multiplyExact(padded, columns), gates)];
        for (int gate = 0; gate < gates; gate++) {
            for (int unit = 0; unit < hidden; unit++) {
                for (int column = 0; column < columns; column++) {
                    out[((unit / LANES * columns + column) * gates + gate) * LANES + unit % LANES] =
                        weights[(gate * hidden + unit) * columns + column];
                }
            }
        }
        return copied(out, arena);
    }

    private static MemorySegment copied(float[] values, Arena arena) {
        MemorySegment segment = arena.allocate(4L * values.length, ALIGNMENT);
        MemorySegment.copy(values, 0, segment, JAVA_FLOAT, 0, values.length);
        return segment;
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
        MemorySegment inSegment = Segments.ofArray(in);
        MemorySegment outSegment = Segments.ofArray(out);
        int together = ROWS / sequences & ~1;
        scratch.walk[0] = inAt.step();
        scratch.walk[1] = inAt.sequence();
        scratch.walk[2] = outAt.step();
        scratch.walk[3] = outAt.sequence();
        for (int step = 0; step < steps; step += together) {
            int count = Math.min(together, steps - step);
            scratch.walk[4] = count | (long) sequences << Integer.SIZE;
            call(scratch, inSegment, inAt.offset() + (long) step * inAt.step() + (long) first * inAt.sequence(), outSegment,
                outAt.offset() + (long) step * outAt.step() + (long) first * outAt.sequence());
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

    private void call(Scratch scratch, MemorySegment in, long inOffset, MemorySegment out, long outOffset) {
        try {
            RECURRENT.invokeExact(struct, scratch.walkSegment, in, inOffset, out, outOffset, scratch.sumsSegment, scratch.stateSegment);
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }
}
