package org.torchnnapi.converter.partition;

import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.torchnnapi.converter.level.Target;
import org.torchnnapi.converter.lower.ControlFlows;
import org.torchnnapi.converter.lower.NodeLowerings;
import org.torchnnapi.converter.lower.TensorCondition;
import org.torchnnapi.converter.partial.PartialEvaluation;
import org.torchnnapi.converter.partial.ResidualGraph;
import org.torchnnapi.converter.partial.RowFacts;
import org.torchnnapi.converter.partial.SizeTrial;
import org.torchnnapi.converter.partial.TensorFacts;
import org.torchnnapi.converter.range.ValueRanges;
import org.torchnnapi.converter.report.Reason;
import org.torchnnapi.converter.report.Refusal;
import org.torchnnapi.torchscript.ir.Block;
import org.torchnnapi.torchscript.ir.Effects;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.Value;

/**
 * Which nodes of a specialised graph NNAPI computes, each asked by itself, and why not the others. What is neutral is
 * not asked, nor what stands in branches and loops that NNAPI computes as they are.
 */
final class NodeSupport {
    private final PartialEvaluation.Facts facts;
    private final Target target;
    private final Set<Value> images;
    private final SizeTrial.Step step;
    private final ValueRanges ranges;
    private final Set<Node> supported = Collections.newSetFromMap(new IdentityHashMap<>());
    private final Set<Node> refused = Collections.newSetFromMap(new IdentityHashMap<>());
    private final List<Refusal> refusals = new ArrayList<>();

    private NodeSupport(
            Graph graph, PartialEvaluation.Facts facts, Target target, Set<Value> images, SizeTrial.Step step) {
        this.facts = facts;
        this.target = target;
        this.images = images;
        this.step = step;
        this.ranges = ValueRanges.of(graph, facts, step.size() > 0);
    }

    /**
     * Asks all nodes.
     *
     * @param target what the NNAPI models are for
     * @param images inputs of the graph that NNAPI sees as N, H, W, C whatever reads them
     * @param step of a trial of sizes, which gets what is refused
     */
    static NodeSupport of(
            Graph graph, PartialEvaluation.Facts facts, Target target, Set<Value> images, SizeTrial.Step step) {
        NodeSupport support = new NodeSupport(graph, facts, target, images, step);
        List<TensorCondition> changed = new ArrayList<>();
        if (target.ownRuntime()) {
            support.askControlFlow(graph.block(), changed);
        }
        support.ask(graph.block());
        changed.forEach(TensorCondition::restore);
        step.divided(Set.of(), support.refused);
        return support;
    }

    /** The same for another release of NNAPI. */
    NodeSupport at(Graph graph, Target other) {
        return of(graph, facts, other, Set.of(), SizeTrial.NONE.step(graph));
    }

    PartialEvaluation.Facts facts() {
        return facts;
    }

    Target target() {
        return target;
    }

    Set<Value> images() {
        return images;
    }

    SizeTrial.Step step() {
        return step;
    }

    ValueRanges ranges() {
        return ranges;
    }

    Set<Node> supported() {
        return supported;
    }

    Set<Node> refused() {
        return refused;
    }

    /** Of the refused nodes that compute tensors: numbers, texts, lists and objects are TorchScript's anyway. */
    List<Refusal> refusals() {
        return refusals;
    }

    /**
     * Whose number of rows a node's results have, which elements decide; null where there is none, or all sizes are to
     * be left open.
     */
    RowFacts.Count rows(Node node) {
        return step.size() > 0 ? null : facts.rows().of(node);
    }

    /** What is known where the rows of a count are so many; of no count what is known in any case. */
    PartialEvaluation.Facts facts(RowFacts.Count count, int number) {
        return count == null ? facts : facts.rows().at(facts, count, number);
    }

    /** Branches and loops that NNAPI computes as they are; others are looked into. */
    private void askControlFlow(Block block, List<TensorCondition> changed) {
        for (Node node : List.copyOf(block.nodes())) {
            if (!ControlFlows.isOne(node)) {
                continue;
            }
            TensorCondition condition = TensorCondition.of(node);
            if (node.attribute(ResidualGraph.GUARD) == null && ask(node)) {
                changed.add(condition);
            } else {
                condition.restore();
                node.blocks().forEach(inner -> askControlFlow(inner, changed));
            }
        }
    }

    private void ask(Block block) {
        for (Node node : block.nodes()) {
            if (!supported.contains(node)) {
                node.blocks().forEach(this::ask);
            }
        }
        for (Node node : block.nodes()) {
            if (node.blocks().isEmpty() && !GraphPartitioner.isNeutral(node)) {
                ask(node);
            }
        }
    }

    private boolean ask(Node node) {
        step.visits(1);
        Reason reason = unsupported(node);
        if (reason == null) {
            supported.add(node);
            return true;
        }
        refused.add(node);
        if (node.outputs().stream().anyMatch(output -> output.type() == Type.Basic.TENSOR)) {
            refusals.add(reason.of(node, operands(node)));
        }
        return false;
    }

    private List<String> operands(Node node) {
        return node.inputs().stream()
                .map(input -> {
                    TensorFacts known = facts.of(input);
                    return known == null ? input.type().text() : known.toString();
                })
                .collect(Collectors.toList());
    }

    /** Why NNAPI does not compute a node; null where it does. */
    private Reason unsupported(Node node) {
        Reason general = NodeLowerings.unsupported(node);
        Reason reason = general != null ? general : ranges.unsupported(node);
        if (reason != null) {
            return reason;
        }
        if (ReadValues.of(node).stream().anyMatch(input -> facts.isWritten(input) && !facts.isOrdered(input, node))
                || node.outputs().stream().anyMatch(facts::isWritten)
                || Effects.hasSideEffects(node)) {
            return new Reason(
                    "tensors that are written to in place stay TorchScript",
                    node.kind(),
                    "operators that make new tensors");
        }
        if (node.outputs().stream().anyMatch(facts::isMemoryRead)) {
            return new Reason(
                    "tensors that are looked at as memory stay TorchScript",
                    node.kind(),
                    "views of which all elements are known",
                    "say what as_strided picks in other operators, such as unfold or index_select");
        }
        if (node.attribute(SizeTrial.SIZED) != null) {
            return new Reason(
                    "what NNAPI computes a node by is the same for all sizes that are left open",
                    (String) node.attribute(SizeTrial.SIZED),
                    "fixed sizes",
                    "convert with fixed sizes to have NNAPI compute it");
        }
        RowFacts.Count count = rows(node);
        if (count != null && !facts.rows().isApart(node, facts)) {
            return new Reason(
                    "each row of what has as many rows as elements decide is made of the same row of what is taken",
                    node.kind(),
                    "operators that join no rows");
        }
        return SegmentLowering.unsupported(node, facts(count, SegmentCost.SOME_ROWS), images, target, step);
    }
}
