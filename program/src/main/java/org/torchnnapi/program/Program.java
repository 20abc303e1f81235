package org.torchnnapi.program;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.torchnnapi.program.internal.BufferAssignment;
import org.torchnnapi.program.internal.MutableGraph;
import org.torchnnapi.program.internal.ProgramPasses;
import org.torchnnapi.program.internal.StepOrigins;
import org.torchnnapi.tensor.platform.Streams;
import org.torchnnapi.tensor.platform.Strings;

/**
 * A graph made ready: a flat list of steps over one planned memory. Immutable and shared by all its runs, which may run
 * at the same time.
 */
public final class Program {
    /** Moving an element takes longer than to read or multiply one, which is what {@link Step#joined} counts in. */
    private static final long WORK_OF_ELEMENT = 4;

    /**
     * Bytes of weights, each counted as often as it is multiplied, that pay for a second thread: less takes about five
     * microseconds, of which meeting and getting results from another core's cache take the half.
     */
    private static final long LEAST_SHARED = 1 << 21;
    /**
     * Bytes of weights that pay for a second thread however often they are multiplied: a far cache gives some 30 a
     * nanosecond.
     */
    private static final long MOST_READ_ALONE = 1 << 18;

    private final List<PlacedValue> inputs;
    private final List<PlacedValue> outputs;
    private final List<Step> steps;
    private final List<String> labels;
    private final List<int[]> origins = new ArrayList<>();
    /** By input the steps that read it from where the caller has it. */
    private final List<List<Integer>> readers = new ArrayList<>();
    /** Elements of a run's memory by store. */
    private final int[] sizes;

    private final long packedBytes;

    private Program(OpGraph graph, MutableGraph draft, BufferAssignment places, long leastShared, Runnable check) {
        inputs = operands(draft.inputs(), places);
        outputs = operands(draft.outputs(), places);
        steps = new ArrayList<>();
        labels = new ArrayList<>();
        inputs.forEach(input -> readers.add(new ArrayList<>()));
        long packed = 0;
        int[][] sources = StepOrigins.of(graph, draft);
        for (int i = 0; i < draft.nodes().size(); i++) {
            check.run();
            OpGraph.Node node = draft.nodes().get(i);
            Operands operands = places.operands(node);
            if (node.op().view(operands) >= 0) {
                continue;
            }
            Step step = step(node.op(), operands, leastShared);
            if (step.units() > 0) {
                noteReader(operands);
                steps.add(step);
                labels.add(node.op().label() + " to " + operands.out().type()
                        + (operands.out().storage() == ImageStorage.DECLARED
                                ? ""
                                : " " + operands.out().storage()));
                origins.add(sources[i]);
                packed += node.op().packedBytes(operands);
            }
        }
        sizes = places.sizes();
        packedBytes = packed;
    }

    /**
     * The step of an operation, in no more units than its elements pay for; those with weights know themselves what
     * they do with them.
     */
    private static Step step(Op op, Operands operands, long leastShared) {
        Step step = op.compile(operands);
        long weights = op.packedBytes(operands);
        if (weights > 0) {
            return weights < MOST_READ_ALONE && op.weightWork(operands) < leastShared ? step.whole() : step;
        }
        if (step.adjoining()) {
            return step;
        }
        long elements = operands.out().size();
        for (PlacedValue operand : operands.inputs()) {
            elements += operand.size();
        }
        return step.joined(elements * WORK_OF_ELEMENT);
    }

    private void noteReader(Operands operands) {
        for (PlacedValue operand : operands.inputs()) {
            if (operand.source() >= 0) {
                readers.get(operand.source()).add(steps.size());
            }
        }
    }

    private static List<PlacedValue> operands(int[] values, BufferAssignment places) {
        List<PlacedValue> operands = new ArrayList<>();
        for (int value : values) {
            operands.add(places.operand(value));
        }
        return List.copyOf(operands);
    }

    /**
     * Fuses, packs and plans.
     *
     * @param check called now and then; what it throws stops the compilation
     * @throws IllegalArgumentException if the values do not fit memory, or a kernel refuses
     */
    public static Program compile(OpGraph graph, Runnable check) {
        return compile(graph, LEAST_SHARED, check);
    }

    /**
     * @param leastShared bytes of weights, each counted as often as it is multiplied, from which on a step is divided
     *     among threads
     */
    static Program compile(OpGraph graph, long leastShared, Runnable check) {
        MutableGraph draft = ProgramPasses.run(graph, check);
        return new Program(graph, draft, BufferAssignment.of(draft), leastShared, check);
    }

    /**
     * A run with a memory of its own.
     *
     * @throws OutOfMemoryError if the heap has no room for it
     */
    public Run newRun() {
        return newRun(new Workspace());
    }

    /**
     * A run in a memory that other runs use at other times; it is made to fit.
     *
     * @throws OutOfMemoryError if the heap has no room for it
     */
    public Run newRun(Workspace workspace) {
        workspace.fit(this);
        return new Run(this, RunMemory.in(workspace, inputs));
    }

    /** Whether an input has any use, and must be given. */
    public boolean usesInput(int position) {
        return inputs.get(position).offset() >= 0;
    }

    /** Bytes of memory that each run has. */
    public long arenaBytes() {
        long sum = 0;
        for (ArrayType store : ArrayType.values()) {
            sum += (long) sizes[store.ordinal()] * store.elementBytes();
        }
        return sum;
    }

    /** Bytes of weights as the steps keep them, shared by all runs. */
    public long packedBytes() {
        return packedBytes;
    }

    /** Lines for people: the memory, then every step. */
    public List<String> describe() {
        List<String> lines = new ArrayList<>();
        lines.add(Strings.counted(steps.size(), "step") + ", " + arenaBytes() + " bytes a run, " + packedBytes
                + " bytes of weights");
        lines.addAll(labels);
        return lines;
    }

    /** What each step does, in the order of {@link Run#nanos}. */
    public List<String> labels() {
        return List.copyOf(labels);
    }

    /** By step the nodes of the graph that it computes, by their places in {@link OpGraph#nodes}. */
    public List<int[]> origins() {
        return List.copyOf(origins);
    }

    /**
     * What a step computes, each once.
     *
     * @param sources by node of the graph what it is of; what makes an output lie as it is wanted is of none
     */
    public <T> List<T> origins(int step, List<T> sources) {
        return Arrays.stream(origins.get(step))
                .filter(node -> node < sources.size())
                .mapToObj(sources::get)
                .distinct()
                .collect(Streams.toList());
    }

    List<PlacedValue> inputs() {
        return inputs;
    }

    List<PlacedValue> outputs() {
        return outputs;
    }

    List<Step> steps() {
        return steps;
    }

    List<Integer> readers(int input) {
        return readers.get(input);
    }

    /** By store the elements of a run's memory. */
    int[] sizes() {
        return sizes;
    }
}
