package org.torchnnapi.converter.free;

import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.torchnnapi.converter.level.Target;
import org.torchnnapi.converter.lower.Refused;
import org.torchnnapi.torchscript.ir.Effects;
import org.torchnnapi.converter.report.Refusal;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.Value;

/**
 * Divides a specialised graph into parts that NNAPI computes and what stays TorchScript. A node's stage is the number of
 * times that the way from the inputs to it changes from TorchScript to NNAPI; the NNAPI nodes of one stage are one segment, which
 * is convex, as whatever lies between two nodes of one stage is of that stage too.
 */
final class Segments {
    /** Puts results together, and computes nothing. */
    static final String DICT = "prim::DictConstruct";

    private final Graph graph;
    private final Specialisation.Facts facts;
    private final SegmentCost cost;
    private final Target target;
    private final Set<Node> taken = Collections.newSetFromMap(new IdentityHashMap<>());
    private final Set<Node> refused = Collections.newSetFromMap(new IdentityHashMap<>());
    private final List<Refusal> refusals = new ArrayList<>();
    private final Map<Node, Integer> stages = new IdentityHashMap<>();
    private final Map<Integer, LoweredSegment> lowered = new TreeMap<>();

    private Segments(Graph graph, Specialisation.Facts facts, SegmentCost cost, Target target) {
        this.graph = graph;
        this.facts = facts;
        this.cost = cost;
        this.target = target;
    }

    /**
     * The outcome.
     *
     * @param segments by stage
     * @param stages   of all nodes but glue
     * @param taken    nodes that are in a segment
     * @param refused  nodes that NNAPI cannot take
     * @param refusals why not
     */
    record Outcome(Map<Integer, LoweredSegment> segments, Map<Node, Integer> stages, Set<Node> taken, Set<Node> refused, List<Refusal> refusals) {
        /** Whether NNAPI computes everything. */
        boolean isWhole(Graph graph) {
            return segments.size() == 1
                && graph.block().nodes().stream().allMatch(node -> SegmentLowering.isGlue(node) || node.is(DICT) || taken.contains(node));
        }
    }

    static Outcome of(Graph graph, Specialisation.Facts facts, SegmentCost cost, Target target) {
        Segments segments = new Segments(graph, facts, cost, target);
        segments.run();
        return new Outcome(segments.lowered, segments.stages, segments.taken, segments.refused, segments.refusals);
    }

    private void run() {
        for (Node node : graph.block().nodes()) {
            if (!SegmentLowering.isGlue(node) && !node.is(DICT) && isAble(node)) {
                taken.add(node);
            }
        }
        boolean settled = false;
        while (!settled) {
            stage();
            lowered.clear();
            settled = lowerAll() && dropUnpaid();
        }
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
            if (!node.blocks().isEmpty() || node.inputs().stream().anyMatch(facts.written()::contains) || node.outputs().stream().anyMatch(facts.written()::contains)
                || Effects.hasSideEffects(node)) {
                throw new Refused("tensors that are written to in place stay TorchScript", node.kind(), "operators that make new tensors", "");
            }
            SegmentLowering.lower(List.of(node), List.of(), facts, Set.of(), target);
            return true;
        } catch (SegmentLowering.NodeRefused e) {
            refuse(node, operands, e.refused());
        } catch (Refused e) {
            refuse(node, operands, e);
        }
        return false;
    }

    private void refuse(Node node, List<String> operands, Refused reason) {
        refused.add(node);
        refusals.add(new Refusal(node.kind(), node.range(), operands, reason.getMessage(), reason.found(), reason.expected(), reason.advice()));
    }

    private void stage() {
        stages.clear();
        int ordered = 0;
        for (Node node : graph.block().nodes()) {
            if (SegmentLowering.isGlue(node)) {
                continue;
            }
            boolean own = taken.contains(node);
            int stage = 0;
            for (Node from : sources(node)) {
                int before = stages.getOrDefault(from, 0);
                stage = Math.max(stage, own && !taken.contains(from) ? before + 1 : before);
            }
            boolean orderMatters = !own && (Effects.hasSideEffects(node) || !node.blocks().isEmpty()
                || node.inputs().stream().anyMatch(facts.written()::contains) || node.outputs().stream().anyMatch(facts.written()::contains));
            if (orderMatters) {
                stage = Math.max(stage, ordered);
                ordered = stage;
            }
            stages.put(node, stage);
        }
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
            if (SegmentLowering.isGlue(from)) {
                collect(from, out);
            } else {
                out.add(from);
            }
        }
        for (org.torchnnapi.torchscript.ir.Block block : node.blocks()) {
            for (Node inner : block.nodes()) {
                collect(inner, out);
            }
            collect(block.returns(), out);
        }
    }

    /** @return whether all segments could be lowered; nodes that could not be, beside others, are taken out */
    private boolean lowerAll() {
        Map<Integer, List<Node>> byStage = new TreeMap<>();
        for (Node node : graph.block().nodes()) {
            if (taken.contains(node)) {
                byStage.computeIfAbsent(stages.get(node), s -> new ArrayList<>()).add(node);
            }
        }
        for (Map.Entry<Integer, List<Node>> entry : byStage.entrySet()) {
            List<Value> outputs = outputs(entry.getValue());
            try {
                lowered.put(entry.getKey(), SegmentLowering.lower(entry.getValue(), outputs, facts, Set.of(), target));
            } catch (SegmentLowering.NodeRefused e) {
                refuse(e.node(), List.of(), e.refused());
                taken.remove(e.node());
                return false;
            } catch (Refused e) {
                refusals.add(new Refusal("segment", entry.getValue().get(0).range(), List.of(), e.getMessage(), e.found(), e.expected(), e.advice()));
                entry.getValue().forEach(taken::remove);
                return false;
            }
        }
        return true;
    }

    /** Values of a segment's nodes that others read. */
    private List<Value> outputs(List<Node> nodes) {
        Set<Node> own = Collections.newSetFromMap(new IdentityHashMap<>());
        own.addAll(nodes);
        List<Value> out = new ArrayList<>();
        for (Node node : nodes) {
            for (Value value : node.outputs()) {
                if (value.type() == Type.Basic.TENSOR && isReadOutside(value, own)) {
                    out.add(value);
                }
            }
        }
        return out;
    }

    private static boolean isReadOutside(Value value, Set<Node> own) {
        for (Value.Use use : value.uses()) {
            Node user = use.user();
            boolean glue = SegmentLowering.isGlue(user);
            if (glue ? user.outputs().stream().anyMatch(list -> isReadOutside(list, own)) : !own.contains(user)) {
                return true;
            }
        }
        return false;
    }

    /** @return whether all segments pay; those that do not are given back to TorchScript */
    private boolean dropUnpaid() {
        boolean whole = new Outcome(lowered, stages, taken, refused, refusals).isWhole(graph);
        if (whole || lowered.isEmpty()) {
            return true;
        }
        Map<Integer, Long> work = new TreeMap<>();
        for (Node node : taken) {
            work.merge(stages.get(node), MultiplyAdds.of(node, facts), Long::sum);
        }
        Set<Integer> dropped = cost.unpaid(lowered, work);
        taken.removeIf(node -> dropped.contains(stages.get(node)));
        return dropped.isEmpty();
    }
}
