package org.torchnnapi.converter.partition;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.torchnnapi.converter.partial.SizeTerm;
import org.torchnnapi.converter.partial.SizeTrial;
import org.torchnnapi.operators.OperatorRegistry;
import org.torchnnapi.operators.shape.Formula;
import org.torchnnapi.operators.shape.SizeExpressionInference;
import org.torchnnapi.tensor.platform.Streams;
import org.torchnnapi.torchscript.ir.FunctionSchema;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.Value;
import org.torchnnapi.torchscript.value.RuntimeTypes;

/**
 * Lets a graph for all sizes raise an error for those that decide otherwise than the sizes it was made of: another
 * branch would be taken, or the other of two numbers be the smaller.
 */
final class DecisionGuards {
    private static final FunctionSchema AT_MOST =
            OperatorRegistry.withBuiltins().find("aten::le.int").schema();

    /** What is decided, by how many blocks the node has. */
    private static final String[] WORDS = {"bound", "number of turns", "branch"};

    private final SizedGraph graph;
    private final DynamicInputs inputs;
    private final long[] base;
    private final SizeExpressionInference fit;
    private final Map<SizeTerm, Boolean> varying = new IdentityHashMap<>();
    /** What was put into the graph, by what it computes, lest each layer of a model asks the same again. */
    private final Map<List<Object>, Value> made = new HashMap<>();

    private final Set<List<Object>> required = new HashSet<>();

    private DecisionGuards(SizedGraph graph, DynamicInputs inputs, long[] base, SizeExpressionInference fit) {
        this.graph = graph;
        this.inputs = inputs;
        this.base = base;
        this.fit = fit;
    }

    /**
     * Requires what was decided alike in all trials; where they decided differently, their graphs agree nevertheless.
     *
     * @param trials of each size that was tried, in the order of {@code fit}'s samples, the steps
     * @throws SizedGraph.Differs if a size of which something was decided does not follow from the open ones
     */
    static void require(
            SizedGraph graph, DynamicInputs inputs, long[] base, SizeExpressionInference fit, List<SizeTrial> trials)
            throws SizedGraph.Differs {
        DecisionGuards guards = new DecisionGuards(graph, inputs, base, fit);
        for (int s = 0; s < trials.get(0).steps().size(); s++) {
            int step = s;
            guards.step(trials.stream().map(trial -> trial.steps().get(step)).collect(Streams.toList()));
        }
    }

    private void step(List<SizeTrial.Step> steps) throws SizedGraph.Differs {
        List<Map<List<Integer>, SizeTerm.Decision>> all =
                steps.stream().map(DecisionGuards::numbered).collect(Streams.toList());
        for (Map.Entry<List<Integer>, SizeTerm.Decision> entry : all.get(0).entrySet()) {
            Object outcome = entry.getValue().term().value();
            List<SizeTerm> row = new ArrayList<>();
            for (Map<List<Integer>, SizeTerm.Decision> decisions : all) {
                SizeTerm.Decision decision = decisions.get(entry.getKey());
                if (decision != null && Objects.equals(decision.term().value(), outcome)) {
                    row.add(decision.term());
                }
            }
            if (row.size() == all.size() && varies(row)) {
                require(entry.getValue().node(), row, outcome);
            }
        }
    }

    /** Decisions by the number of the node and how many it took before, in order. */
    private static Map<List<Integer>, SizeTerm.Decision> numbered(SizeTrial.Step step) {
        Map<List<Integer>, SizeTerm.Decision> decisions = new LinkedHashMap<>();
        Map<Integer, Integer> counts = new HashMap<>();
        for (SizeTerm.Decision decision : step.decisions()) {
            int node = step.numberOf(decision.node());
            decisions.put(List.of(node, counts.merge(node, 1, Integer::sum)), decision);
        }
        return decisions;
    }

    private void require(Node node, List<SizeTerm> row, Object outcome) throws SizedGraph.Differs {
        Value value = emit(node, row);
        if (!required.add(List.of(value, outcome))) {
            return;
        }
        Value wrong = outcome instanceof Boolean truth
                ? truth ? graph.calls().not(value) : value
                : graph.calls().differ(value, outcome);
        Value[] sizes = new Value[base.length];
        for (int k = 0; k < sizes.length; k++) {
            sizes[k] = graph.computed(new Formula.OpenSize(k), inputs.readAt());
        }
        graph.require(
                wrong,
                IntStream.range(0, base.length)
                                .mapToObj(k -> inputs.name(k) + ": {}")
                                .collect(Collectors.joining(", "))
                        + " (expected: sizes for which the "
                        + WORDS[node.blocks().size()] + " at " + node.range()
                        + " is the one for " + inputs.text(base) + "; give such, or convert for this size)",
                sizes);
    }

    /** Whether something was read that differs from size to size. */
    private boolean varies(List<SizeTerm> row) {
        Boolean known = varying.get(row.get(0));
        if (known == null) {
            List<List<SizeTerm>> parts = parts(row);
            known = parts == null
                    ? row.stream().map(SizeTerm::value).distinct().count() > 1
                    : parts.stream().anyMatch(this::varies);
            varying.put(row.get(0), known);
        }
        return known;
    }

    /** Puts a number that follows from sizes into the graph. */
    private Value emit(Node at, List<SizeTerm> row) throws SizedGraph.Differs {
        SizeTerm first = row.get(0);
        List<List<SizeTerm>> parts = parts(row);
        List<Object> key = new ArrayList<>();
        if (parts == null || !varies(row) && !(first instanceof SizeTerm.Items)) {
            key.addAll(row.stream().map(SizeTerm::value).collect(Streams.toList()));
            Value value = made.get(key);
            if (value == null) {
                value = varies(row)
                        ? graph.value(key, fit, inputs.readAt())
                        : graph.calls().constant(first.value());
            }
            if (value == null) {
                throw new SizedGraph.Differs(
                        at,
                        "it goes by a size that is " + key
                                + " for the sizes that were tried, which follows from none in a known way");
            }
            made.put(key, value);
            return value;
        }
        Value[] arguments = new Value[parts.size()];
        for (int i = 0; i < arguments.length; i++) {
            arguments[i] = emit(at, parts.get(i));
        }
        FunctionSchema schema = first instanceof SizeTerm.Computed computed
                ? computed.node().schema()
                : first instanceof SizeTerm.AtMost ? AT_MOST : null;
        key.add(schema == null ? ((SizeTerm.Items) first).type() : schema);
        key.addAll(List.of(arguments));
        Value value = made.get(key);
        if (value == null) {
            value = first instanceof SizeTerm.Items list
                    ? graph.calls().list(((Type.ListType) list.type()).element(), arguments)
                    : graph.calls().call(schema, typeOf(first.value()), (Object[]) arguments);
            made.put(key, value);
        }
        return value;
    }

    /** What numbers were computed of, each for all sizes; null of such as were read, or computed in another way. */
    private static List<List<SizeTerm>> parts(List<SizeTerm> row) {
        List<List<SizeTerm>> all = row.stream().map(DecisionGuards::arguments).collect(Streams.toList());
        List<SizeTerm> first = all.get(0);
        for (int i = 0; i < row.size(); i++) {
            if (first == null
                    || all.get(i) == null
                    || all.get(i).size() != first.size()
                    || row.get(i).getClass() != row.get(0).getClass()
                    || row.get(i) instanceof SizeTerm.Computed other
                            && !other.node()
                                    .schema()
                                    .equals(((SizeTerm.Computed) row.get(0))
                                            .node()
                                            .schema())) {
                return null;
            }
        }
        List<List<SizeTerm>> parts = new ArrayList<>();
        for (int p = 0; p < first.size(); p++) {
            int part = p;
            parts.add(all.stream().map(arguments -> arguments.get(part)).collect(Streams.toList()));
        }
        return parts;
    }

    private static List<SizeTerm> arguments(SizeTerm term) {
        return term instanceof SizeTerm.Computed computed
                ? computed.arguments()
                : term instanceof SizeTerm.Items items
                        ? items.arguments()
                        : term instanceof SizeTerm.AtMost atMost ? List.of(atMost.one(), atMost.other()) : null;
    }

    private static Type typeOf(Object value) {
        return RuntimeTypes.of(value);
    }
}
