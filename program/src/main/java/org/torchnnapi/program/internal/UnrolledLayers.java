package org.torchnnapi.program.internal;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.torchnnapi.program.OpGraph;
import org.torchnnapi.program.op.ConcatenationOp;
import org.torchnnapi.program.op.LinearOp;
import org.torchnnapi.program.op.RecurrentDirectionsOp;
import org.torchnnapi.program.op.RecurrentStackOp;

/** What layers the steps of a draft make, and which of them run at the same time. */
final class UnrolledLayers {
    private final UnrolledSteps found;
    private final MutableGraph draft;
    private final List<OpGraph.Node> nodes;
    private final int[] uses;

    UnrolledLayers(UnrolledSteps found) {
        this.found = found;
        draft = found.draft;
        nodes = found.nodes;
        uses = found.uses;
    }

    /** Those that can be replaced, in the order of their first steps. */
    List<UnrolledLayer> find() {
        List<UnrolledLayer> all = linked(found.find());
        all.removeIf(layer -> !isLayer(layer));
        return all;
    }

    private List<UnrolledLayer> linked(Map<Integer, UnrolledStep> steps) {
        List<UnrolledLayer> all = new ArrayList<>();
        Map<UnrolledStep, UnrolledLayer> layers = new HashMap<>();
        for (UnrolledStep step : steps.values()) {
            UnrolledStep before = steps.get(step.before());
            UnrolledLayer layer = before == null ? null : layers.get(before);
            int stride = before == null ? 0 : step.row() - before.row();
            boolean next = layer != null
                    && layer.last() == before
                    && Math.abs(stride) == step.count(draft)
                    && (layer.stride() == 0 || layer.stride() == stride)
                    && step.cellBefore() == before.cellOut()
                    && isAlike(before, step);
            if (!next) {
                layer = new UnrolledLayer();
                all.add(layer);
            }
            layer.add(step, stride);
            layers.put(step, layer);
        }
        return all;
    }

    private boolean isAlike(UnrolledStep one, UnrolledStep other) {
        if (one.cell() != other.cell()
                || one.function() != other.function()
                || one.all() != other.all()
                || one.gates().size() != other.gates().size()) {
            return false;
        }
        for (int i = 0; i < one.gates().size(); i++) {
            if (one.gates().get(i).input().from()
                            != other.gates().get(i).input().from()
                    || one.gates().get(i).state().from()
                            != other.gates().get(i).state().from()) {
                return false;
            }
        }
        LinearOp a = product(one);
        LinearOp b = product(other);
        return a == b
                || a.in() == b.in()
                        && a.out() == b.out()
                        && Arrays.equals(a.bias(), b.bias())
                        && (a.weights().origin() != null
                                        && a.weights()
                                                .origin()
                                                .equals(b.weights().origin())
                                || a.weights().view().equals(b.weights().view()));
    }

    LinearOp product(UnrolledStep step) {
        return (LinearOp) nodes.get(step.product()).op();
    }

    /**
     * Whether steps can be replaced: a product of the inputs is known, and cell states are asked for of the last step
     * alone.
     */
    private boolean isLayer(UnrolledLayer layer) {
        OpGraph.Node input = found.made(layer.first().all());
        boolean known = input != null
                && UnrolledSteps.isSum(input.op())
                && draft.type(input.inputs()[0]).rank() == 2;
        if (layer.first().cell() == null) {
            return layer.steps().size() > 1
                    && product(layer.first()).out() == layer.first().units(draft)
                    && layer.first().gates().get(0).input().from() == 0
                    && draft.type(layer.first().all()).dimension(1)
                            == layer.first().units(draft)
                    && (known || product(layer.first()).bias() == null);
        }
        for (int i = 0; i + 1 < layer.steps().size(); i++) {
            UnrolledStep step = layer.steps().get(i);
            int own = uses(step.cellOut(), found.inside(step))
                    + uses(step.cellOut(), found.inside(layer.steps().get(i + 1)));
            if (step.cellOut() >= 0 && own != uses[step.cellOut()]) {
                return false;
            }
        }
        return known;
    }

    private int uses(int value, Set<Integer> by) {
        int count = 0;
        for (int at : by) {
            for (int input : nodes.get(at).inputs()) {
                count += input == value ? 1 : 0;
            }
        }
        return count;
    }

    /**
     * Layers of which each but the first takes the outputs of the one before, as far as they are to be one operation.
     */
    List<List<UnrolledLayer>> stacks(List<UnrolledLayer> all) {
        List<List<UnrolledLayer>> stacks = new ArrayList<>();
        Map<Integer, List<UnrolledLayer>> byOutputs = new HashMap<>();
        for (UnrolledLayer layer : all) {
            OpGraph.Node input = found.made(layer.first().all());
            List<UnrolledLayer> below = input == null ? null : byOutputs.get(found.whole(input.inputs()[0]));
            boolean over = below != null && isOver(layer, below.get(below.size() - 1));
            List<UnrolledLayer> stack = over ? below : new ArrayList<>();
            stack.add(layer);
            if (!over) {
                stacks.add(stack);
            }
            for (OpGraph.Node node : nodes) {
                if (node.op() instanceof ConcatenationOp && isOutputs(node, layer)) {
                    byOutputs.put(node.output(), stack);
                }
            }
        }
        List<List<UnrolledLayer>> suited = new ArrayList<>();
        for (List<UnrolledLayer> stack : stacks) {
            UnrolledStep first = stack.get(0).first();
            boolean suits = stack.size() > 1
                    && RecurrentStackOp.suits(
                            first.cell(),
                            first.units(draft),
                            stack.size(),
                            stack.get(0).steps().size(),
                            first.count(draft));
            if (suits) {
                suited.add(stack);
            } else {
                stack.forEach(layer -> suited.add(List.of(layer)));
            }
        }
        return suited;
    }

    /** Whether a layer takes the outputs of another, and nobody else takes any but the last of these. */
    private boolean isOver(UnrolledLayer layer, UnrolledLayer below) {
        UnrolledStep one = layer.first();
        UnrolledStep other = below.first();
        if (one.cell() == null
                || one.cell() != other.cell()
                || one.units(draft) != other.units(draft)
                || layer.stride() <= 0
                || below.stride() <= 0
                || layer.steps().size() != below.steps().size()
                || one.count(draft) != other.count(draft)) {
            return false;
        }
        int outputs = found.whole(found.made(one.all()).inputs()[0]);
        if (uses[outputs] != 1
                || draft.isOutput(outputs)
                || draft.type(one.all()).dimension(0) != layer.steps().size() * one.count(draft)) {
            return false;
        }
        for (int i = 0; i + 1 < below.steps().size(); i++) {
            UnrolledStep step = below.steps().get(i);
            if (uses(step.out(), found.inside(step))
                            + uses(step.out(), found.inside(below.steps().get(i + 1)))
                            + 1
                    != uses[step.out()]) {
                return false;
            }
        }
        return true;
    }

    /** Whether a node puts the outputs of a layer behind one another in the order of its inputs. */
    boolean isOutputs(OpGraph.Node node, UnrolledLayer layer) {
        int[] parts = node.inputs();
        int axis = ((ConcatenationOp) node.op()).axis();
        if (axis != 0 && axis + draft.type(node.output()).rank() != 0
                || parts.length != layer.steps().size()) {
            return false;
        }
        for (int i = 0; i < parts.length; i++) {
            if (found.whole(parts[i])
                    != layer.steps()
                            .get(layer.stride() < 0 ? parts.length - 1 - i : i)
                            .out()) {
                return false;
            }
        }
        return true;
    }

    /**
     * The other direction of a layer, which comes later, where threads do both at the same time; null if there is none.
     *
     * @param replaced not one of these
     */
    UnrolledLayer backward(UnrolledLayer forward, List<UnrolledLayer> all, Set<UnrolledLayer> replaced) {
        UnrolledStep one = forward.first();
        if (one.cell() == null
                || !RecurrentDirectionsOp.suits(one.cell(), one.units(draft))
                || draft.type(one.all()).dimension(0) != forward.steps().size() * one.count(draft)) {
            return null;
        }
        for (UnrolledLayer layer : all.subList(all.indexOf(forward) + 1, all.size())) {
            UnrolledStep other = layer.first();
            if (layer.stride() < 0
                    && other.cell() == one.cell()
                    && draft.type(other.out()).equals(draft.type(one.out()))
                    && layer.steps().size() == forward.steps().size()
                    && found.whole(found.made(other.all()).inputs()[0])
                            == found.whole(found.made(one.all()).inputs()[0])
                    && !replaced.contains(layer)) {
                return layer;
            }
        }
        return null;
    }
}
