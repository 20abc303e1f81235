package org.torchnnapi.program.op;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.torchnnapi.kernels.FloatRecurrent;
import org.torchnnapi.kernels.FloatRecurrent.Cell;
import org.torchnnapi.kernels.FloatRecurrent.Strides;
import org.torchnnapi.kernels.Jobs;
import org.torchnnapi.kernels.Jobs.Job;
import org.torchnnapi.program.Op;
import org.torchnnapi.program.Operands;
import org.torchnnapi.program.PlacedValue;
import org.torchnnapi.program.RunMemory;
import org.torchnnapi.program.Step;
import org.torchnnapi.program.ValueType;
import org.torchnnapi.tensor.platform.Streams;

/**
 * Recurrent layers of which each takes the outputs of the one before, over few sequences. Threads do layers at the same
 * time: while one thread does some steps of a layer, another does those before them of the next layer; what of a
 * layer's steps needs its inputs alone is done by whoever has time. Inputs: {@code [steps, batch, inputs]}, and for one
 * layer after the other the hidden state before the first step {@code [batch, hidden]} and for LSTMs the cell state, of
 * the same shape. Result: the outputs of the last layer {@code [steps, batch, hidden]}, then a row for each layer's
 * hidden state afterwards, then for LSTMs one for each layer's cell state.
 *
 * @param layers forward ones of the same cell and as many hidden units each, the inputs of all but the first
 */
public record RecurrentStackOp(List<RecurrentOp> layers) implements Op {
    /**
     * Steps of a job, even as the kernel wants it, and as many as it takes inputs together: enough to pay for handing
     * over.
     */
    private static final int LONG = 12;
    /**
     * The same of the first and the last jobs: nobody has another layer's to do before the first of one is done, and
     * after the last.
     */
    private static final int SHORT = 6;
    /** Jobs that a layer is ahead of the next one. */
    private static final int AHEAD = 1;
    /**
     * Jobs of a layer whose inputs' sums there is room for: whoever waits for the steps before makes the next ones
     * meanwhile.
     */
    private static final int ROOMS = 4;

    public RecurrentStackOp {
        layers = List.copyOf(layers);
        for (int i = 0; i < layers.size(); i++) {
            RecurrentOp layer = layers.get(i);
            RecurrentOp first = layers.get(0);
            if (layer.reverse()
                    || layer.cell() != first.cell()
                    || layer.hidden() != first.hidden()
                    || i > 0 && layer.inputs() != first.hidden()) {
                throw new IllegalArgumentException("layer " + i + ": " + layer.label()
                        + " (expected: forward layers of one cell, of as many hidden "
                        + "units as inputs after the first)");
            }
        }
    }

    /** Whether layers take less time as a stack than one after the other, where there are threads. */
    public static boolean suits(Cell cell, int hidden, int layers, int steps, int batch) {
        return layers > 1
                && batch <= FloatRecurrent.SEQUENCES
                && steps >= layers * LONG
                && !FloatRecurrent.isDivisible(cell, hidden);
    }

    private int states() {
        return layers.get(0).cell() == Cell.LSTM ? 2 : 1;
    }

    @Override
    public ValueType result(List<ValueType> values) {
        int states = states();
        Require.count(values, 1 + layers.size() * states, 1 + layers.size() * states);
        for (int i = 0; i < layers.size(); i++) {
            List<ValueType> own = new ArrayList<>(values.subList(1 + i * states, 1 + (i + 1) * states));
            int[] in = values.get(0).shape();
            own.add(
                    0,
                    i == 0
                            ? values.get(0)
                            : ValueType.floats(in[0], in[1], layers.get(i).inputs()));
            layers.get(i).result(own);
        }
        int[] in = values.get(0).shape();
        if (in[1] > FloatRecurrent.SEQUENCES) {
            throw new IllegalArgumentException(
                    "sequences: " + in[1] + " (expected: at most " + FloatRecurrent.SEQUENCES + ")");
        }
        return ValueType.floats(
                in[0] + layers.size() * states, in[1], layers.get(0).hidden());
    }

    @Override
    public Step compile(Operands operands) {
        List<FloatRecurrent> plans = layers.stream().map(RecurrentOp::plan).collect(Streams.toList());
        int steps = operands.in(0).type().dimension(0);
        // At most so many jobs can be done at once: the steps of each layer, and what comes before them.
        return Step.rounds(2, 2 * layers.size(), memory -> {
            Work[] work = new Work[layers.size()];
            Place in = Place.of(operands.in(0), memory);
            for (int i = 0; i < work.length; i++) {
                work[i] = new Work(plans.get(i), i, operands, memory, in);
                in = work[i].to;
            }
            return new Rounds(work, jobs(work, steps));
        });
    }

    /** The first step of each part of a layer, and the end. */
    private static int[] firsts(int steps) {
        IntStream.Builder firsts = IntStream.builder();
        for (int first = 0; first < steps; ) {
            firsts.add(first);
            first += first == 0 || steps - first <= 2 * LONG ? SHORT : LONG;
        }
        return firsts.add(steps).build().toArray();
    }

    /** In the order in which one thread would do them, could it do a step of each layer at the same time. */
    private static Jobs jobs(Work[] work, int steps) {
        int[] firsts = firsts(steps);
        int parts = firsts.length - 1;
        List<Job> jobs = new ArrayList<>();
        int[][] done = new int[work.length][parts];
        for (int slot = 0; slot < parts + (work.length - 1) * AHEAD; slot++) {
            for (int layer = 0; layer < work.length; layer++) {
                int part = slot - layer * AHEAD;
                if (part >= 0 && part < parts) {
                    Work own = work[layer];
                    int first = firsts[part];
                    int end = firsts[part + 1];
                    int room = part % ROOMS;
                    IntStream input = layer == 0 ? IntStream.empty() : IntStream.of(done[layer - 1][part]);
                    IntStream emptied = part < ROOMS ? IntStream.empty() : IntStream.of(done[layer][part - ROOMS]);
                    IntStream before = part == 0 ? IntStream.empty() : IntStream.of(done[layer][part - 1]);
                    int projected = jobs.size();
                    jobs.add(new Job(
                            () -> own.project(first, end, room),
                            IntStream.concat(input, emptied).toArray()));
                    done[layer][part] = jobs.size();
                    jobs.add(new Job(
                            () -> own.run(first, end, room),
                            IntStream.concat(IntStream.of(projected), before).toArray()));
                }
            }
        }
        return new Jobs(jobs);
    }

    /** First the beginning, then all jobs. */
    private record Rounds(Work[] work, Jobs jobs) implements Step.Rounds.RoundTask {
        @Override
        public void run(int round, int begin, int end) {
            if (round > 0) {
                jobs.work();
            } else if (begin == 0) {
                jobs.reset();
                for (Work layer : work) {
                    layer.begin();
                }
            }
        }

        /** A layer's input is multiplied by its weights for many steps at once where all are there. */
        @Override
        public void runAll(int rounds, int units) {
            for (Work layer : work) {
                layer.begin();
                layer.runAll();
            }
        }
    }

    /** Vectors of steps and sequences, one after the other. */
    private record Place(float[] values, Strides at) {
        static Place of(PlacedValue operand, RunMemory memory) {
            int width = operand.type().dimension(2);
            return new Place(
                    operand.floats(memory),
                    new Strides(operand.at(memory), operand.type().dimension(1) * width, width));
        }
    }

    /** A layer's, in a run's memory. */
    private final class Work {
        private final FloatRecurrent.Together together;
        private final PlacedValue[] before;
        private final RunMemory memory;
        private final Place from;
        private final Place to;
        private final int steps;
        private final float[] out;
        private final int hiddenAfter;
        private final int cellsAfter;
        private final float[][] rooms = new float[ROOMS][];

        Work(FloatRecurrent plan, int layer, Operands operands, RunMemory memory, Place from) {
            this.memory = memory;
            this.from = from;
            int batch = operands.in(0).type().dimension(1);
            steps = operands.in(0).type().dimension(0);
            together = plan.together(batch);
            before = new PlacedValue[states()];
            Arrays.setAll(before, i -> operands.in(1 + layer * before.length + i));
            Place result = Place.of(operands.out(), memory);
            out = result.values;
            int row = result.at.step();
            to = layer == layers.size() - 1
                    ? result
                    : new Place(new float[steps * row], new Strides(0, row, result.at.sequence()));
            hiddenAfter = result.at.offset() + (steps + layer) * row;
            cellsAfter = hiddenAfter + layers.size() * row;
        }

        void begin() {
            boolean cells = before.length > 1;
            together.begin(
                    before[0].floats(memory),
                    before[0].at(memory),
                    cells ? before[1].floats(memory) : null,
                    cells ? before[1].at(memory) : 0);
        }

        /** What of steps [first, end) does not need those before. */
        void project(int first, int end, int room) {
            if (rooms[room] == null) {
                rooms[room] = new float[together.sumsSize(LONG)];
            }
            together.project(from.values, from.at, first, end, rooms[room]);
        }

        /** The rest of the steps. */
        void run(int first, int end, int room) {
            together.projected(rooms[room], to.values, to.at, first, end);
            if (end == steps) {
                end();
            }
        }

        void runAll() {
            together.steps(from.values, from.at, to.values, to.at, steps);
            end();
        }

        private void end() {
            boolean cells = before.length > 1;
            together.end(steps, out, hiddenAfter, cells ? out : null, cells ? cellsAfter : 0);
        }
    }

    @Override
    public long packedBytes() {
        return layers.stream().mapToLong(RecurrentOp::packedBytes).sum();
    }

    @Override
    public String label() {
        return layers.size() + " layers " + layers.get(0).label();
    }
}
