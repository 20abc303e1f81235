package org.torchnnapi.kernels;

import org.torchnnapi.kernels.internal.RecurrentKernel;
import org.torchnnapi.kernels.internal.RecurrentProvider;
import org.torchnnapi.kernels.internal.RecurrentSpec;

/**
 * One layer of a recurrent network in one direction, its weights packed once. Sequences of a batch are independent; a
 * unit of work is {@link #SEQUENCES} of them.
 */
public final class FloatRecurrent {
    /** Sequences that are computed together: the weights are read once for all. */
    public static final int SEQUENCES = 4;

    /** How a step's gates follow from the sums over its input x and over the output h of the step before. */
    public enum Cell {
        /**
         * Gates reset, update, new (Cho et al. 2014, with the reset gate acting on the summed previous output, as cuDNN
         * and PyTorch have it): {@code r = sigmoid(x_r + h_r), z = sigmoid(x_z + h_z), n = tanh(x_n + r * h_n), h' = (1
         * - z) * n + z * h}.
         */
        GRU(3),
        /**
         * Gates input, forget, cell, output (Hochreiter and Schmidhuber 1997; Gers et al. 2000): {@code c' = sigmoid(f)
         * * c + sigmoid(i) * tanh(g), h' = sigmoid(o) * tanh(c')}.
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
     * Where the vectors of a batch of sequences begin in an array: that of step t of sequence s at {@code offset + t *
     * step + s * sequence}. With time first, {@code step = batch * width, sequence = width}; with the batch first,
     * {@code step = width, sequence = steps * width}.
     */
    public record Strides(int offset, int step, int sequence) {
        /** In the order that the steps are done in: where the first is, and how far the next. */
        private Strides walked(int steps, boolean reverse) {
            return reverse ? new Strides(offset + (steps - 1) * step, -step, sequence) : this;
        }

        private Strides after(int steps) {
            return new Strides(offset + steps * step, step, sequence);
        }

        /** The same of the sequences from one on. */
        private Strides from(int first) {
            return first == 0 ? this : new Strides(offset + first * sequence, step, sequence);
        }
    }

    /** Weights of the outputs before, of which a thread multiplies 10,000 and more a microsecond; meeting takes one. */
    private static final long LEAST_WEIGHTS = 1 << 17;

    private static final ThreadLocal<Room> ROOM = ThreadLocal.withInitial(() -> new Room(new float[0], new float[0]));

    /** What the steps of some sequences need; may be larger. */
    private record Room(float[] sums, float[] state) {}

    private final RecurrentSpec spec;
    private final RecurrentKernel kernel;

    private FloatRecurrent(RecurrentSpec spec) {
        this.spec = spec;
        kernel = RecurrentProvider.chosen().plan(spec);
    }

    /**
     * Packs a layer.
     *
     * @param inputWeights [gates * hidden][inputs], gate after gate in the order of the cell
     * @param hiddenWeights [gates * hidden][hidden]
     * @param inputBias [gates * hidden], or null for none
     * @param hiddenBias [gates * hidden], or null for none
     */
    public static FloatRecurrent plan(
            Cell cell,
            int inputs,
            int hidden,
            float[] inputWeights,
            float[] hiddenWeights,
            float[] inputBias,
            float[] hiddenBias) {
        return plan(cell, inputs, hidden, Weights.of(inputWeights), Weights.of(hiddenWeights), inputBias, hiddenBias);
    }

    /** The same of weights whose origin may be known: what was packed of those is found again. */
    public static FloatRecurrent plan(
            Cell cell,
            int inputs,
            int hidden,
            Weights inputWeights,
            Weights hiddenWeights,
            float[] inputBias,
            float[] hiddenBias) {
        Check.atLeast("inputs", inputs, 1);
        Check.atLeast("hidden units", hidden, 1);
        long rows = (long) cell.gates() * hidden;
        Check.length("input weights", inputWeights.length(), rows * inputs);
        Check.length("hidden weights", hiddenWeights.length(), rows * hidden);
        float[] ofInput = inputBias == null ? new float[(int) rows] : inputBias;
        float[] ofHidden = hiddenBias == null ? new float[(int) rows] : hiddenBias;
        Check.length("input bias", ofInput.length, rows);
        Check.length("hidden bias", ofHidden.length, rows);
        return new FloatRecurrent(
                new RecurrentSpec(cell, inputs, hidden, inputWeights, hiddenWeights, ofInput, ofHidden));
    }

    /** Shares the work over that many sequences can be cut into. */
    public int units(int sequences) {
        return (sequences + SEQUENCES - 1) / SEQUENCES;
    }

    /**
     * Does units [begin, end).
     *
     * @param reverse from the last step to the first; outputs stay at the places of their inputs
     * @param hidden [sequences][hidden] from {@code hiddenOffset}: the output before the first step, replaced by that
     *     of the last
     * @param cells [sequences][hidden] from {@code cellOffset}: an LSTM's cell state, likewise; null for a GRU
     */
    public void run(
            float[] in,
            Strides inAt,
            float[] out,
            Strides outAt,
            int steps,
            int sequences,
            boolean reverse,
            float[] hidden,
            int hiddenOffset,
            float[] cells,
            int cellOffset,
            int begin,
            int end) {
        Check.atLeast("steps", steps, 0);
        Check.atLeast("sequences", sequences, 0);
        Check.range(begin, end, units(sequences));
        if (begin == end || steps == 0) {
            return;
        }
        checkSequences(in, inAt, out, outAt, steps, sequences);
        checkStates(hidden, hiddenOffset, cells, cellOffset, sequences);
        Strides from = inAt.walked(steps, reverse);
        Strides to = outAt.walked(steps, reverse);
        for (int first = begin * SEQUENCES; first < Math.min(end * SEQUENCES, sequences); first += SEQUENCES) {
            int count = Math.min(SEQUENCES, sequences - first);
            int at = first * spec.hidden();
            Room room = room(count);
            kernel.load(room.state, count, hidden, hiddenOffset + at, cells, cellOffset + at);
            run(in, from.from(first), out, to.from(first), steps, count, room, 0, steps, 0, kernel.blocks());
            kernel.store(room.state, count, steps, hidden, hiddenOffset + at, cells, cellOffset + at);
        }
    }

    /**
     * Steps [firstStep, endStep) of all, of some blocks: first the sums over the inputs of those that are taken
     * together, then their steps.
     */
    private void run(
            float[] in,
            Strides inAt,
            float[] out,
            Strides outAt,
            int steps,
            int sequences,
            Room room,
            int firstStep,
            int endStep,
            int firstBlock,
            int endBlock) {
        int together = kernel.together(sequences);
        for (int step = firstStep; step < endStep; ) {
            int first = step / together * together;
            int count = Math.min(together, steps - first);
            int end = Math.min(endStep - first, count);
            if (step == first) {
                kernel.project(in, inAt.after(first), count, sequences, room.sums, firstBlock, endBlock);
            }
            kernel.steps(
                    room.sums, out, outAt.after(first), sequences, room.state, step - first, end, firstBlock, endBlock);
            step = first + end;
        }
    }

    private Room room(int sequences) {
        Room room = ROOM.get();
        int sums = kernel.sumsSize(kernel.together(sequences), sequences);
        int state = kernel.stateSize(sequences);
        if (room.sums.length < sums || room.state.length < state) {
            room = new Room(new float[Math.max(sums, room.sums.length)], new float[Math.max(state, room.state.length)]);
            ROOM.set(room);
        }
        return room;
    }

    /**
     * Few sequences whose steps several threads do together, each some of the hidden units, or one after the other:
     * {@link #begin}, then all steps by {@link #step}, by {@link #steps} or by {@link #project} and {@link #projected},
     * then {@link #end}. The outputs are those of {@link FloatRecurrent#run}, to the bit.
     */
    public final class Together {
        private final int sequences;
        private final Room room;

        private Together(int sequences) {
            this.sequences = sequences;
            room = new Room(
                    new float[kernel.sumsSize(kernel.together(sequences), sequences)],
                    new float[kernel.stateSize(sequences)]);
        }

        /** Takes over the states before the first step, as {@link FloatRecurrent#run} has them. */
        public void begin(float[] hidden, int hiddenOffset, float[] cells, int cellOffset) {
            checkStates(hidden, hiddenOffset, cells, cellOffset, sequences);
            kernel.load(room.state, sequences, hidden, hiddenOffset, cells, cellOffset);
        }

        /**
         * Does shares [begin, end) of {@link #shares} of a step: of the first that is done, number 0, all threads'
         * shares are to be done before any of the next.
         */
        public void step(
                float[] in,
                Strides inAt,
                float[] out,
                Strides outAt,
                int steps,
                boolean reverse,
                int number,
                int begin,
                int end) {
            Check.range(number, number + 1, steps);
            Check.range(begin, end, shares());
            checkSequences(in, inAt, out, outAt, steps, sequences);
            int blocks = kernel.blocks();
            FloatRecurrent.this.run(
                    in,
                    inAt.walked(steps, reverse),
                    out,
                    outAt.walked(steps, reverse),
                    steps,
                    sequences,
                    room,
                    number,
                    number + 1,
                    begin * blocks / shares(),
                    end * blocks / shares());
        }

        /** Does all steps, forwards and by one thread. */
        public void steps(float[] in, Strides inAt, float[] out, Strides outAt, int steps) {
            Check.atLeast("steps", steps, 0);
            checkSequences(in, inAt, out, outAt, steps, sequences);
            FloatRecurrent.this.run(in, inAt, out, outAt, steps, sequences, room, 0, steps, 0, kernel.blocks());
        }

        /** Floats that {@link #project} makes of so many steps. */
        public int sumsSize(int steps) {
            return kernel.sumsSize(steps, sequences);
        }

        /** The part of steps [first, end), forwards, that needs no step before them: their inputs' sums. */
        public void project(float[] in, Strides inAt, int first, int end, float[] sums) {
            checkPart(first, end, sums);
            checkInput(in, inAt, end, sequences);
            kernel.project(in, inAt.after(first), end - first, sequences, sums, 0, kernel.blocks());
        }

        /**
         * The rest of what {@link #project} began, when the steps before are done.
         *
         * @param first even
         */
        public void projected(float[] sums, float[] out, Strides outAt, int first, int end) {
            checkPart(first, end, sums);
            if ((first & 1) != 0) {
                throw new IllegalArgumentException("first step: " + first + " (expected: an even number)");
            }
            checkOutput(out, outAt, end, sequences);
            kernel.steps(sums, out, outAt.after(first), sequences, room.state, 0, end - first, 0, kernel.blocks());
        }

        private void checkPart(int first, int end, float[] sums) {
            Check.range(first, end, Integer.MAX_VALUE);
            Check.room("sums", sums.length, 0, sumsSize(end - first));
        }

        /** Gives back the states after the last step. */
        public void end(int steps, float[] hidden, int hiddenOffset, float[] cells, int cellOffset) {
            checkStates(hidden, hiddenOffset, cells, cellOffset, sequences);
            kernel.store(room.state, sequences, steps, hidden, hiddenOffset, cells, cellOffset);
        }
    }

    /** Room for that many sequences, at most {@link #SEQUENCES}, whose steps several threads do together. */
    public Together together(int sequences) {
        Check.atLeast("sequences", sequences, 1);
        Check.range(0, sequences, SEQUENCES);
        return new Together(sequences);
    }

    /** Shares that the hidden units are cut into where threads do steps together. */
    public int shares() {
        return Math.min(Machine.current().shares(), kernel.blocks());
    }

    /**
     * Whether steps of few sequences take so long that threads do them sooner together, in spite of meeting after each.
     */
    public static boolean isDivisible(Cell cell, int hidden) {
        return (long) cell.gates() * hidden * hidden >= LEAST_WEIGHTS;
    }

    /** Does all of it over the threads of a pool. */
    public void run(
            float[] in,
            Strides inAt,
            float[] out,
            Strides outAt,
            int steps,
            int sequences,
            boolean reverse,
            float[] hidden,
            int hiddenOffset,
            float[] cells,
            int cellOffset,
            KernelPool pool) {
        pool.run(
                units(sequences),
                (begin, end) -> run(
                        in,
                        inAt,
                        out,
                        outAt,
                        steps,
                        sequences,
                        reverse,
                        hidden,
                        hiddenOffset,
                        cells,
                        cellOffset,
                        begin,
                        end));
    }

    private void checkSequences(float[] in, Strides inAt, float[] out, Strides outAt, int steps, int sequences) {
        checkInput(in, inAt, steps, sequences);
        checkOutput(out, outAt, steps, sequences);
    }

    private void checkInput(float[] in, Strides inAt, int steps, int sequences) {
        Check.room("input", in.length, inAt.offset(), reach(inAt, steps, sequences, spec.inputs()));
    }

    private void checkOutput(float[] out, Strides outAt, int steps, int sequences) {
        Check.room("output", out.length, outAt.offset(), reach(outAt, steps, sequences, spec.hidden()));
    }

    private void checkStates(float[] hidden, int hiddenOffset, float[] cells, int cellOffset, int sequences) {
        Check.room("hidden state", hidden.length, hiddenOffset, (long) sequences * spec.hidden());
        if (spec.cell() == Cell.LSTM) {
            Check.room("cell state", cells.length, cellOffset, (long) sequences * spec.hidden());
        }
    }

    private static long reach(Strides at, int steps, int sequences, int width) {
        Check.atLeast("stride", Math.min(at.step(), at.sequence()), 0);
        return (steps - 1L) * at.step() + (sequences - 1L) * at.sequence() + width;
    }
}
