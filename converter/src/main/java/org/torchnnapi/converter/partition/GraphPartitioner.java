package org.torchnnapi.converter.partition;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.torchnnapi.converter.lower.ControlFlows;
import org.torchnnapi.converter.lower.MultiplyAdds;
import org.torchnnapi.converter.lower.NodeLowerings;
import org.torchnnapi.converter.lower.TensorCondition;
import org.torchnnapi.converter.partial.PartialEvaluation;
import org.torchnnapi.converter.partial.ResidualGraph;
import org.torchnnapi.converter.partial.RowFacts;
import org.torchnnapi.converter.partial.SizeTrial;
import org.torchnnapi.converter.report.Reason;
import org.torchnnapi.converter.report.Refusal;
import org.torchnnapi.operators.passes.Functionalize;
import org.torchnnapi.operators.range.NumberRange;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.Block;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Prim;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.Value;

/**
 * Divides a specialised graph into parts that NNAPI computes and what stays TorchScript; branches and loops that stay
 * are divided within. A node's stage is the number of times that the way to it from the beginning of its block changes
 * from TorchScript to NNAPI; the NNAPI nodes of one stage are one segment, which is convex, as whatever lies between
 * two nodes of one stage is of that stage too.
 */
final class GraphPartitioner {
    /** What is computed for a check of arguments takes fewer nodes. */
    private static final int MOST_CHECKED = 256;

    private static final Object NNAPI = new Object();

    private final Graph graph;
    private final NodeSupport support;
    private final PartialEvaluation.Facts facts;
    private final SegmentCost cost;
    private final Set<Node> taken = Collections.newSetFromMap(new IdentityHashMap<>());
    private final Set<Node> refused = Collections.newSetFromMap(new IdentityHashMap<>());
    private final Map<Node, TensorCondition> conditions = new IdentityHashMap<>();
    private final List<Refusal> refusals = new ArrayList<>();
    private final List<GraphPartition.Division> divisions = new ArrayList<>();
    private boolean unpaid;

    private GraphPartitioner(Graph graph, NodeSupport support, SegmentCost cost) {
        this.graph = graph;
        this.support = support;
        this.facts = support.facts();
        this.cost = cost;
        refused.addAll(support.refused());
        refusals.addAll(support.refusals());
    }

    /**
     * Divides a graph. Conditions of branches and loops that are taken are changed, as {@link GraphPartition#undo}
     * undoes.
     *
     * @param support which nodes may be taken; a trial of sizes that it is a step of gets what is
     */
    static GraphPartition of(Graph graph, NodeSupport support, SegmentCost cost) {
        GraphPartitioner segments = new GraphPartitioner(graph, support, cost);
        segments.run();
        return segments.outcome();
    }

    private GraphPartition outcome() {
        Map<Value, NumberRange> checked = new LinkedHashMap<>();
        for (GraphPartition.Division division : divisions) {
            for (LoweredSegment segment : division.segments().values()) {
                for (LoweredSegment.Boundary boundary : segment.inputs()) {
                    NumberRange range = support.ranges().checked(boundary.value());
                    if (range != null) {
                        checked.put(boundary.value(), range);
                    }
                }
            }
        }
        return new GraphPartition(
                divisions, taken, refused, refusals, List.copyOf(conditions.values()), unpaid, checked);
    }

    private void run() {
        take(graph.block());
        SizeTrial.Step step = support.step();
        boolean settled = false;
        while (!settled) {
            settled = true;
            for (GraphPartition.Division division : divisions) {
                settled &= divide(division);
            }
            settled = settled && (step.isGiven() || dropUnpaid());
        }
        step.divided(taken, refused);
    }

    /** Takes what NNAPI computes; branches and loops that it does not compute as they are are divided within. */
    private void take(Block block) {
        for (Node node : List.copyOf(block.nodes())) {
            if (support.supported().contains(node) && support.step().mayTake(node)) {
                taken.add(node);
                if (ControlFlows.isOne(node)) {
                    conditions.put(node, TensorCondition.of(node));
                }
            } else {
                node.blocks().forEach(this::take);
            }
        }
        divisions.add(new GraphPartition.Division(block, new TreeMap<>(), new IdentityHashMap<>()));
    }

    private void release(Node node) {
        taken.remove(node);
        TensorCondition condition = conditions.remove(node);
        if (condition != null) {
            condition.restore();
        }
    }

    /** Whether a node computes nothing: it gathers values, takes them apart, checks arguments or tells something. */
    static boolean isNeutral(Node node) {
        if (NodeLowerings.isGlue(node) || node.attribute(ResidualGraph.GUARD) != null) {
            return true;
        }
        boolean passes = switch (node.kind()) {
            case Prim.DICT_CONSTRUCT,
                    Prim.LIST_UNPACK,
                    Prim.TUPLE_UNPACK,
                    Prim.TUPLE_INDEX,
                    Prim.UNCHECKED_CAST,
                    Prim.UNINITIALIZED,
                    "aten::warn" -> true;
            case "aten::__getitem__" -> node.input(0).type() instanceof Type.DictType;
            default -> false;
        };
        return passes || isChecked(node);
    }

    /** Whether only checks of arguments read what a node computes; of what goes a long way there is something else. */
    private static boolean isChecked(Node node) {
        Set<Node> reached = Collections.newSetFromMap(new IdentityHashMap<>());
        Deque<Node> open = new ArrayDeque<>(List.of(node));
        reached.add(node);
        while (!open.isEmpty()) {
            boolean used = false;
            for (Value output : open.pop().outputs()) {
                for (Value.Use use : output.uses()) {
                    used = true;
                    if (use.user().attribute(ResidualGraph.GUARD) == null && reached.add(use.user())) {
                        open.push(use.user());
                    }
                }
            }
            if (!used || reached.size() > MOST_CHECKED) {
                return false;
            }
        }
        return true;
    }

    private void refuse(Node node, Reason reason) {
        refused.add(node);
        if (node.outputs().stream().anyMatch(output -> output.type() == Type.Basic.TENSOR)) {
            refusals.add(reason.of(node, List.of()));
        }
        release(node);
    }

    private void stage(GraphPartition.Division division) {
        Map<Node, Integer> stages = division.stages();
        Map<Node, Set<Node>> overwritten = overwritten(division.block());
        stages.clear();
        AttributeOrder attributes = new AttributeOrder(facts);
        for (Node node : division.block().nodes()) {
            if (NodeLowerings.isGlue(node)) {
                continue;
            }
            boolean own = taken.contains(node);
            int stage = 0;
            Set<Node> before = sources(node);
            before.addAll(overwritten.getOrDefault(node, Set.of()));
            for (Value input : ReadValues.of(node)) {
                facts.writers().getOrDefault(input, Set.of()).forEach(w -> before.add(within(division.block(), w)));
            }
            for (Node from : before) {
                if (!stages.containsKey(from) || own && within(division.block(), from) == node) {
                    continue;
                }
                stage = Math.max(stage, own && !isTogether(from, node) ? stages.get(from) + 1 : stages.get(from));
            }
            stages.put(node, own ? stage : attributes.stage(node, stage));
        }
        Set<Object> kinds = new LinkedHashSet<>();
        division.block().nodes().stream().filter(taken::contains).forEach(node -> kinds.add(kind(node)));
        kinds.forEach(kind -> join(division, overwritten, kind));
        part(stages, new ArrayList<>(kinds));
    }

    /**
     * What nodes of one segment have in common: NNAPI computes them of as many rows, or of none whose number elements
     * decide.
     */
    private Object kind(Node node) {
        RowFacts.Count rows = support.rows(node);
        return rows == null ? NNAPI : rows;
    }

    private boolean isTogether(Node one, Node other) {
        return taken.contains(one) && taken.contains(other) && kind(one) == kind(other);
    }

    /**
     * Nodes of one stage that are of several kinds do not hang on each other: each kind has a stage of its own, what
     * stays TorchScript the last.
     */
    private void part(Map<Node, Integer> stages, List<Object> kinds) {
        if (kinds.size() > 1) {
            stages.replaceAll((node, stage) ->
                    stage * (kinds.size() + 1) + (taken.contains(node) ? kinds.indexOf(kind(node)) : kinds.size()));
        }
    }

    /**
     * Of nodes that write to tensors in place, or hold such, who read before what they write to; before all that was
     * computed is written back everybody has read.
     */
    private Map<Node, Set<Node>> overwritten(Block block) {
        Map<Node, Set<Node>> readers = new IdentityHashMap<>();
        Set<Node> passed = Collections.newSetFromMap(new IdentityHashMap<>());
        for (Node node : block.nodes()) {
            if (Functionalize.isWrittenBack(node)) {
                readers.computeIfAbsent(node, w -> Collections.newSetFromMap(new IdentityHashMap<>()))
                        .addAll(passed);
            }
            for (Value input : ReadValues.of(node)) {
                for (Node writer : facts.writers().getOrDefault(input, Set.of())) {
                    Node at = within(block, writer);
                    if (at != node && !passed.contains(at)) {
                        readers.computeIfAbsent(at, w -> Collections.newSetFromMap(new IdentityHashMap<>()))
                                .add(node);
                    }
                }
            }
            passed.add(node);
        }
        return readers;
    }

    /** Lets a segment begin later, as part of the next one of its kind, where nothing else has to come between. */
    private void join(GraphPartition.Division division, Map<Node, Set<Node>> overwritten, Object kind) {
        Map<Node, Integer> stages = division.stages();
        TreeMap<Integer, Integer> followers = new TreeMap<>();
        stages.forEach((node, stage) -> {
            if (taken.contains(node) && kind(node) == kind) {
                followers.putIfAbsent(stage, Integer.MAX_VALUE);
            }
        });
        stages.forEach((node, stage) -> {
            boolean own = taken.contains(node);
            if (!own || kind(node) != kind) {
                Set<Node> before = sources(node);
                before.addAll(overwritten.getOrDefault(node, Set.of()));
                for (Node from : before) {
                    Node source = within(division.block(), from);
                    if (taken.contains(source) && stages.containsKey(source) && kind(source) == kind) {
                        followers.merge(stages.get(source), own ? stage - 1 : stage, Math::min);
                    }
                }
            }
        });
        for (Integer stage = followers.isEmpty() ? null : followers.firstKey();
                stage != null;
                stage = followers.higherKey(stage)) {
            Integer next = followers.higherKey(stage);
            if (next != null && followers.get(stage) >= next) {
                int from = stage;
                stages.replaceAll((node, at) -> at == from && taken.contains(node) && kind(node) == kind ? next : at);
                followers.merge(next, followers.get(stage), Math::min);
            }
        }
    }

    /** The node of a block that another one is or stands in; the other one itself where it is in no such node. */
    private static Node within(Block block, Node node) {
        Node at = node.within(block);
        return at == null ? node : at;
    }

    /** Nodes that a node reads from, through lists and tuples; for nodes with blocks also what is read inside. */
    static Set<Node> sources(Node node) {
        Set<Node> out = new LinkedHashSet<>();
        collect(node, out);
        return out;
    }

    private static void collect(Node node, Set<Node> out) {
        for (Value input : node.inputs()) {
            Node from = input.definition();
            if (from == null || from.is(Prim.CONSTANT)) {
                continue;
            }
            if (NodeLowerings.isGlue(from)) {
                collect(from, out);
            } else {
                out.add(from);
            }
        }
        for (Block block : node.blocks()) {
            for (Node inner : block.nodes()) {
                collect(inner, out);
            }
            collect(block.returns(), out);
        }
    }

    /**
     * @return whether all segments of a block could be lowered; nodes that could not be, beside others, are taken out
     */
    private boolean divide(GraphPartition.Division division) {
        stage(division);
        division.segments().clear();
        Map<Integer, List<Node>> byStage = new TreeMap<>();
        for (Node node : division.block().nodes()) {
            if (taken.contains(node)) {
                byStage.computeIfAbsent(division.stages().get(node), s -> new ArrayList<>())
                        .add(node);
            }
        }
        for (Map.Entry<Integer, List<Node>> entry : byStage.entrySet()) {
            SegmentLowering.Outcome outcome = lower(entry.getValue(), outputs(entry.getValue()));
            if (outcome.segment() != null) {
                division.segments().put(entry.getKey(), outcome.segment());
                continue;
            }
            if (outcome.node() != null) {
                refuse(outcome.node(), outcome.reason());
            } else {
                refusals.add(
                        outcome.reason().of("segment", entry.getValue().get(0).range()));
                entry.getValue().forEach(this::release);
            }
            return false;
        }
        return true;
    }

    private SegmentLowering.Outcome lower(List<Node> nodes, List<Value> outputs) {
        for (Value value : outputs) {
            if (value.type() != Type.Basic.TENSOR) {
                // Numbers that branches and loops of NNAPI come to have no way out of a segment.
                return SegmentLowering.Outcome.refused(
                        value.definition(),
                        new Reason(
                                "NNAPI returns tensors",
                                value.type().text() + " that TorchScript reads",
                                "results that are tensors, or that NNAPI reads"));
            }
        }
        RowFacts.Count count = support.rows(nodes.get(0));
        return count == null ? lower(nodes, outputs, facts) : lowerRows(nodes, outputs, count);
    }

    private SegmentLowering.Outcome lower(List<Node> nodes, List<Value> outputs, PartialEvaluation.Facts known) {
        support.step().visits(nodes.size());
        return SegmentLowering.lower(nodes, outputs, known, support.images(), support.target());
    }

    /** A segment that computes so many rows at a time as suits their work. */
    private SegmentLowering.Outcome lowerRows(List<Node> nodes, List<Value> outputs, RowFacts.Count count) {
        PartialEvaluation.Facts some = support.facts(count, SegmentCost.SOME_ROWS);
        SegmentLowering.Outcome outcome = lower(nodes, outputs, some);
        LoweredSegment trial = outcome.segment();
        if (trial == null) {
            return outcome;
        }
        if (trial.inputs().stream().noneMatch(LoweredSegment.Boundary::inRows)) {
            return SegmentLowering.Outcome.refused(
                    null,
                    new Reason("rows are computed of rows", "the same for each row", "a tensor that has as many rows"));
        }
        long work =
                nodes.stream().mapToLong(node -> MultiplyAdds.of(node, some)).sum();
        long weights = trial.model().model().weights().stream()
                        .mapToLong(Tensor::numel)
                        .sum()
                * Float.BYTES;
        long closed = divisions.stream()
                .flatMap(division -> division.block().nodes().stream())
                .mapToLong(node -> MultiplyAdds.of(node, facts))
                .sum();
        int rows = cost.rows(
                work / SegmentCost.SOME_ROWS,
                SegmentCost.bytes(trial) / SegmentCost.SOME_ROWS,
                weights,
                count.most(),
                closed);
        return lower(nodes, outputs, support.facts(count, rows)).inRows(rows);
    }

    /** Values of a segment's nodes that others read. */
    private List<Value> outputs(List<Node> nodes) {
        Set<Node> own = Collections.newSetFromMap(new IdentityHashMap<>());
        own.addAll(nodes);
        List<Value> out = new ArrayList<>();
        for (Node node : nodes) {
            for (Value value : node.outputs()) {
                if (isReadOutside(value, own)) {
                    out.add(value);
                }
            }
        }
        return out;
    }

    private static boolean isReadOutside(Value value, Set<Node> own) {
        for (Value.Use use : value.uses()) {
            Node user = value.definition() == null
                    ? use.user()
                    : within(value.definition().owner(), use.user());
            boolean glue = NodeLowerings.isGlue(user);
            if (glue ? user.outputs().stream().anyMatch(list -> isReadOutside(list, own)) : !own.contains(user)) {
                return true;
            }
        }
        return false;
    }

    /** @return whether all segments pay; those that do not are given back to TorchScript */
    private boolean dropUnpaid() {
        if (outcome().isWhole(graph)) {
            return true;
        }
        Map<List<Object>, LoweredSegment> segments = new LinkedHashMap<>();
        Map<List<Object>, Long> work = new HashMap<>();
        for (GraphPartition.Division division : divisions) {
            division.segments().forEach((stage, segment) -> segments.put(List.of(division.block(), stage), segment));
            division.stages().forEach((node, stage) -> {
                if (taken.contains(node)) {
                    work.merge(
                            List.of(division.block(), stage),
                            MultiplyAdds.of(
                                    node,
                                    support.facts(
                                            support.rows(node),
                                            division.segments().get(stage).rows())),
                            Long::sum);
                }
            });
        }
        Set<List<Object>> dropped = cost.unpaid(segments, work);
        for (GraphPartition.Division division : divisions) {
            division.stages().forEach((node, stage) -> {
                if (dropped.contains(List.of(division.block(), stage))) {
                    release(node);
                }
            });
        }
        unpaid |= dropped.stream().anyMatch(place -> work.getOrDefault(place, 0L) > 0);
        return dropped.isEmpty();
    }
}
