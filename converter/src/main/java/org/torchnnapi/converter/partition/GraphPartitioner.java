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
import org.torchnnapi.converter.level.Target;
import org.torchnnapi.converter.lower.ControlFlows;
import org.torchnnapi.converter.lower.MultiplyAdds;
import org.torchnnapi.converter.lower.NodeLowerings;
import org.torchnnapi.converter.lower.TensorCondition;
import org.torchnnapi.converter.partial.PartialEvaluation;
import org.torchnnapi.converter.partial.ResidualGraph;
import org.torchnnapi.converter.partial.RowFacts;
import org.torchnnapi.converter.partial.SizeTrial;
import org.torchnnapi.converter.partial.TensorFacts;
import org.torchnnapi.converter.range.NumberRange;
import org.torchnnapi.converter.range.ValueRanges;
import org.torchnnapi.converter.report.Refusal;
import org.torchnnapi.converter.report.Refused;
import org.torchnnapi.operators.passes.Functionalize;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.Block;
import org.torchnnapi.torchscript.ir.Effects;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.Node;
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
    private final PartialEvaluation.Facts facts;
    private final SegmentCost cost;
    private final Target target;
    private final Set<Value> images;
    private final Set<Node> taken = Collections.newSetFromMap(new IdentityHashMap<>());
    private final Set<Node> refused = Collections.newSetFromMap(new IdentityHashMap<>());
    private final Map<Node, TensorCondition> conditions = new IdentityHashMap<>();
    private final List<Refusal> refusals = new ArrayList<>();
    private final List<GraphPartition.Division> divisions = new ArrayList<>();
    private boolean unpaid;
    private final SizeTrial.Step step;
    private final ValueRanges ranges;

    private GraphPartitioner(
            Graph graph,
            PartialEvaluation.Facts facts,
            SegmentCost cost,
            Target target,
            Set<Value> images,
            SizeTrial.Step step) {
        this.step = step;
        this.images = images;
        this.graph = graph;
        this.facts = facts;
        this.cost = cost;
        this.target = target;
        this.ranges = ValueRanges.of(graph, facts, step.size() > 0);
    }

    static GraphPartition of(Graph graph, PartialEvaluation.Facts facts, SegmentCost cost, Target target) {
        return of(graph, facts, cost, target, Set.of(), SizeTrial.NONE.step(graph));
    }

    /**
     * The same as a step of a trial of sizes, which may say what is taken.
     *
     * @param images inputs of the graph that NNAPI sees as N, H, W, C whatever reads them
     */
    static GraphPartition of(
            Graph graph,
            PartialEvaluation.Facts facts,
            SegmentCost cost,
            Target target,
            Set<Value> images,
            SizeTrial.Step step) {
        GraphPartitioner segments = new GraphPartitioner(graph, facts, cost, target, images, step);
        segments.run();
        return segments.outcome();
    }

    private GraphPartition outcome() {
        Map<Value, NumberRange> checked = new LinkedHashMap<>();
        for (GraphPartition.Division division : divisions) {
            for (LoweredSegment segment : division.segments().values()) {
                for (LoweredSegment.Boundary boundary : segment.inputs()) {
                    NumberRange range = ranges.checked(boundary.value());
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
        if (target.ownRuntime()) {
            takeControlFlow(graph.block());
        }
        collect(graph.block());
        for (GraphPartition.Division division : divisions) {
            for (Node node : division.block().nodes()) {
                if (!isNeutral(node) && node.blocks().isEmpty() && isAble(node) && step.mayTake(node)) {
                    taken.add(node);
                }
            }
        }
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

    /** Takes branches and loops that NNAPI can compute as they are; others are looked into. */
    private void takeControlFlow(Block block) {
        for (Node node : List.copyOf(block.nodes())) {
            if (!node.is(ControlFlows.IF) && !node.is(ControlFlows.LOOP)) {
                continue;
            }
            TensorCondition condition = TensorCondition.of(node);
            if (node.attribute(ResidualGraph.GUARD) == null && isAble(node)) {
                taken.add(node);
                conditions.put(node, condition);
            } else {
                condition.restore();
                node.blocks().forEach(this::takeControlFlow);
            }
        }
    }

    private void release(Node node) {
        taken.remove(node);
        TensorCondition condition = conditions.remove(node);
        if (condition != null) {
            condition.restore();
        }
    }

    private void collect(Block block) {
        for (Node node : block.nodes()) {
            if (!taken.contains(node)) {
                node.blocks().forEach(this::collect);
            }
        }
        divisions.add(new GraphPartition.Division(block, new TreeMap<>(), new IdentityHashMap<>()));
    }

    /** Whether a node computes nothing: it gathers values, takes them apart, checks arguments or tells something. */
    static boolean isNeutral(Node node) {
        if (NodeLowerings.isGlue(node) || node.attribute(ResidualGraph.GUARD) != null) {
            return true;
        }
        boolean passes = switch (node.kind()) {
            case "prim::DictConstruct",
                    "prim::ListUnpack",
                    "prim::TupleUnpack",
                    "prim::TupleIndex",
                    "prim::unchecked_cast",
                    "prim::Uninitialized",
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

    /** Tries the node by itself. */
    private boolean isAble(Node node) {
        List<String> operands = new ArrayList<>();
        for (Value input : node.inputs()) {
            TensorFacts known = facts.of(input);
            operands.add(known == null ? input.type().text() : known.toString());
        }
        try {
            NodeLowerings.require(node);
            ranges.require(node);
            if (ReadValues.of(node).stream().anyMatch(input -> facts.isWritten(input) && !facts.isOrdered(input, node))
                    || node.outputs().stream().anyMatch(facts::isWritten)
                    || Effects.hasSideEffects(node)) {
                throw new Refused(
                        "tensors that are written to in place stay TorchScript",
                        node.kind(),
                        "operators that make new tensors",
                        "");
            }
            if (node.outputs().stream().anyMatch(facts::isMemoryRead)) {
                throw new Refused(
                        "tensors that are looked at as memory stay TorchScript",
                        node.kind(),
                        "views of which all elements are known",
                        "say what as_strided picks in other operators, such as unfold or index_select");
            }
            if (node.attribute(SizeTrial.SIZED) != null) {
                throw new Refused(
                        "what NNAPI computes a node by is the same for all sizes that are left open",
                        (String) node.attribute(SizeTrial.SIZED),
                        "fixed sizes",
                        "convert with fixed sizes to have NNAPI compute it");
            }
            RowFacts.Count count = rows(node);
            if (count != null && !facts.rows().isApart(node, facts)) {
                throw new Refused(
                        "each row of what has as many rows as elements decide is made of the same row of what is taken",
                        node.kind(),
                        "operators that join no rows",
                        "");
            }
            SegmentLowering.lower(List.of(node), List.of(), facts(count, SegmentCost.SOME_ROWS), images, target);
            return true;
        } catch (SegmentLowering.NodeRefused e) {
            refuse(node, operands, e.refused());
        } catch (Refused e) {
            refuse(node, operands, e);
        }
        return false;
    }

    /**
     * Whose number of rows a node's results have, which elements decide; null where there is none, or all sizes are to
     * be left open.
     */
    private RowFacts.Count rows(Node node) {
        return step.size() > 0 ? null : facts.rows().of(node);
    }

    /** What is known where the rows of a count are so many; of no count what is known in any case. */
    private PartialEvaluation.Facts facts(RowFacts.Count count, int number) {
        return count == null ? facts : facts.rows().at(facts, count, number);
    }

    private void refuse(Node node, List<String> operands, Refused reason) {
        refused.add(node);
        if (node.outputs().stream().noneMatch(output -> output.type() == Type.Basic.TENSOR)) {
            // Numbers, texts, lists and objects are TorchScript's anyway.
            return;
        }
        refusals.add(new Refusal(
                node.kind(),
                node.range(),
                operands,
                reason.getMessage(),
                reason.found(),
                reason.expected(),
                reason.advice()));
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
        RowFacts.Count rows = rows(node);
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
        Node at = node;
        while (at != null && at.owner() != block) {
            at = at.owner() == null ? null : at.owner().parent();
        }
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
            if (from == null || from.is("prim::Constant")) {
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
            List<Value> outputs = outputs(entry.getValue());
            try {
                requireTensors(outputs);
                RowFacts.Count count = rows(entry.getValue().get(0));
                division.segments()
                        .put(
                                entry.getKey(),
                                count == null
                                        ? SegmentLowering.lower(entry.getValue(), outputs, facts, images, target)
                                        : lowerRows(entry.getValue(), outputs, count));
            } catch (SegmentLowering.NodeRefused e) {
                refuse(e.node(), List.of(), e.refused());
                release(e.node());
                return false;
            } catch (Refused e) {
                refusals.add(new Refusal(
                        "segment",
                        entry.getValue().get(0).range(),
                        List.of(),
                        e.getMessage(),
                        e.found(),
                        e.expected(),
                        e.advice()));
                entry.getValue().forEach(this::release);
                return false;
            }
        }
        return true;
    }

    /** A segment that computes so many rows at a time as suits their work. */
    private LoweredSegment lowerRows(List<Node> nodes, List<Value> outputs, RowFacts.Count count) {
        PartialEvaluation.Facts some = facts(count, SegmentCost.SOME_ROWS);
        LoweredSegment trial = SegmentLowering.lower(nodes, outputs, some, images, target);
        if (trial.inputs().stream().noneMatch(LoweredSegment.Boundary::inRows)) {
            throw new Refused(
                    "rows are computed of rows", "the same for each row", "a tensor that has as many rows", "");
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
        return SegmentLowering.lower(nodes, outputs, facts(count, rows), images, target)
                .inRows(rows);
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

    /** Numbers that branches and loops of NNAPI come to have no way out of a segment. */
    private static void requireTensors(List<Value> outputs) {
        for (Value value : outputs) {
            if (value.type() != Type.Basic.TENSOR) {
                throw new SegmentLowering.NodeRefused(
                        value.definition(),
                        new Refused(
                                "NNAPI returns tensors",
                                value.type().text() + " that TorchScript reads",
                                "results that are tensors, or that NNAPI reads",
                                ""));
            }
        }
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
                                    facts(
                                            rows(node),
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
