package org.torchnnapi.converter.partial;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.LongSummaryStatistics;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.torchnnapi.operators.passes.Functionalize;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.torchscript.ir.Block;
import org.torchnnapi.torchscript.ir.Effects;
import org.torchnnapi.torchscript.ir.FunctionSchema;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.OperatorTrait;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.Value;
import org.torchnnapi.torchscript.passes.DeadCode;
import org.torchnnapi.torchscript.passes.PointsTo;
import org.torchnnapi.torchscript.support.Structures;
import org.torchnnapi.torchscript.value.ScriptObject;

/**
 * Specialises a graph for the shapes of its inputs: walks through it once with samples of them, and notes of every
 * tensor whether its shape follows from the inputs' shapes alone. Whatever does not depend on the elements of the
 * inputs becomes a constant: sizes and what is computed with them, conditions (their branches are taken), masks and
 * tables of positions. Lists, dicts, tuples and objects of TorchScript classes are followed from who fills them to who
 * reads them. Branches and loops that depend on elements stay.
 */
public final class PartialEvaluation {
    /** Each walk finds something more to leave open; real models need a handful. */
    private static final int MAX_WALKS = 100;

    private PartialEvaluation() {}

    /**
     * Specialises {@code graph}, which is changed.
     *
     * @param inputs examples of the inputs, without the module, of any type; not changed
     * @param module what the graph's first input is, whose attributes may be read and set; null if there is none
     * @return what is known of the tensors that are computed
     * @throws RuntimeException if an operator fails on the samples
     */
    public static Facts run(Graph graph, List<?> inputs, ScriptObject module) {
        return run(graph, inputs, module, SizeTrial.NONE.step(graph));
    }

    /** The same as a step of a trial of sizes. */
    public static Facts run(Graph graph, List<?> inputs, ScriptObject module, SizeTrial.Step step) {
        WideningState widening = new WideningState(step);
        for (int i = 0; i < MAX_WALKS; i++) {
            widening.begin();
            AbstractInterpreter interpreter = new AbstractInterpreter(graph, widening, module);
            try {
                List<Value> results = interpreter.run(inputs);
                if (!widening.takeChanged()) {
                    interpreter.residual().commit(results);
                    DeadCode.run(graph);
                    return new Facts(
                            interpreter.facts(),
                            writers(graph),
                            memoryRead(graph),
                            interpreter.rows(),
                            Map.of(),
                            interpreter.sources(),
                            wholes(graph, inputs));
                }
                interpreter.residual().discard();
            } catch (RuntimeException failure) {
                interpreter.residual().discard();
                if (!widening.takeChanged()) {
                    throw failure;
                }
            }
        }
        throw new IllegalStateException(
                "a graph that could not be followed in " + MAX_WALKS + " walks (expected: an ordinary one)");
    }

    /**
     * The result.
     *
     * @param tensors per value one entry, or one per item for lists of tensors; none for values whose shape is not
     *     known
     * @param writers of values that are written to in place, under any name, who writes
     * @param memory values whose places in memory something reads, under any name
     * @param rows tensors with as many rows as elements decide
     * @param numbers numbers of such rows, where what is known is that of so many rows ({@link RowTable#at})
     * @param sources what the shapes follow from that became constants in this walk
     * @param wholes of inputs of the graph whose examples have whole numbers of 64 bits, which
     */
    public record Facts(
            Map<Value, List<TensorFacts>> tensors,
            Map<Value, Set<Node>> writers,
            Set<Value> memory,
            RowTable rows,
            Map<Value, Long> numbers,
            ArgumentSources sources,
            Map<Value, LongSummaryStatistics> wholes) {
        /** What is known of a tensor, or null. */
        public TensorFacts of(Value value) {
            List<TensorFacts> found = value.type() == Type.Basic.TENSOR ? tensors.get(value) : null;
            return found == null ? null : found.get(0);
        }

        /** Whether something writes to a value in place, under any name. */
        public boolean isWritten(Value value) {
            return writers.containsKey(value);
        }

        /** Whether something reads where in memory a value's elements lie, or what lies beside them. */
        public boolean isMemoryRead(Value value) {
            return memory.contains(value);
        }

        /**
         * Whether whoever writes to a value does so before or after a node of its own block, there or in what stands
         * there, and leaves it its sizes.
         */
        public boolean isOrdered(Value value, Node reader) {
            return writers.getOrDefault(value, Set.of()).stream().allMatch(writer -> {
                Node at = writer.within(reader.owner());
                return at != null && at != reader && !Functionalize.changesView(writer);
            });
        }
    }

    private static Map<Value, LongSummaryStatistics> wholes(Graph graph, List<?> inputs) {
        Map<Value, LongSummaryStatistics> wholes = new IdentityHashMap<>();
        for (int i = 0; i < inputs.size() && i + 1 < graph.inputs().size(); i++) {
            LongSummaryStatistics own = new LongSummaryStatistics();
            Structures.tensors(Collections.singletonList(inputs.get(i))).stream()
                    .filter(tensor -> tensor.dtype() == DType.INT64)
                    .forEach(tensor -> Arrays.stream(tensor.toLongArray()).forEach(own::accept));
            if (inputs.get(i) instanceof Long number) {
                own.accept(number);
            }
            if (own.getCount() > 0) {
                wholes.put(graph.inputs().get(i + 1), own);
            }
        }
        return wholes;
    }

    private static Set<Value> memoryRead(Graph graph) {
        Set<Value> read = Collections.newSetFromMap(new IdentityHashMap<>());
        noteMemory(graph.block(), () -> new PointsTo(graph), read);
        return read;
    }

    private static void noteMemory(Block block, Supplier<PointsTo> aliases, Set<Value> read) {
        for (Node node : block.nodes()) {
            if (OperatorTrait.READS_MEMORY.of(node)) {
                read.addAll(aliases.get().of(node.input(0)));
            }
            node.blocks().forEach(inner -> noteMemory(inner, aliases, read));
        }
    }

    /**
     * Of values that are written to in place, under any name, who writes. What was computed is written back at the end,
     * when all have read: that is a write to those only which are held beyond the run.
     */
    public static Map<Value, Set<Node>> writers(Graph graph) {
        Map<Value, Set<Node>> writers = new IdentityHashMap<>();
        collect(new PointsTo(graph), graph.block(), writers);
        return writers;
    }

    private static void collect(PointsTo aliases, Block block, Map<Value, Set<Node>> writers) {
        for (Node node : block.nodes()) {
            if (Functionalize.isWrittenBack(node)) {
                Set<Value> sharing = Collections.newSetFromMap(new IdentityHashMap<>());
                sharing.addAll(aliases.of(node.input(0)));
                for (Value value : sharing) {
                    if (value != node.input(0) && isHeld(value, sharing)) {
                        writers.computeIfAbsent(value, v -> Collections.newSetFromMap(new IdentityHashMap<>()))
                                .add(node);
                    }
                }
            } else if (Effects.mutates(node)) {
                FunctionSchema schema = node.schema();
                for (int i = 0; i < node.inputs().size(); i++) {
                    if (schema == null
                            || i < schema.arguments().size()
                                    && schema.arguments().get(i).mutated()) {
                        // Who changes a list leaves the tensors in it as they are.
                        boolean tensor = node.input(i).type() == Type.Basic.TENSOR || schema == null;
                        List<Value> written = new ArrayList<>(aliases.of(node.input(i)));
                        written.removeIf(value -> !tensor && value.type() == Type.Basic.TENSOR);
                        written.forEach(value -> writers.computeIfAbsent(
                                        value, v -> Collections.newSetFromMap(new IdentityHashMap<>()))
                                .add(node));
                    }
                }
            }
            node.blocks().forEach(inner -> collect(aliases, inner, writers));
        }
    }

    /** Whether a tensor, or a view of it, is returned from a block or put into something that holds it. */
    private static boolean isHeld(Value value, Set<Value> sharing) {
        return value.uses().stream()
                .map(Value.Use::user)
                .anyMatch(user -> !Functionalize.isWrittenBack(user)
                        && (user.schema() == null
                                || user.outputs().stream()
                                        .anyMatch(output -> sharing.contains(output) && isHeld(output, sharing))));
    }
}
