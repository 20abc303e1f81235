package org.torchnnapi.program.internal;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.torchnnapi.kernels.UnaryOp;
import org.torchnnapi.kernels.Weights;
import org.torchnnapi.program.Op;
import org.torchnnapi.program.OpGraph;
import org.torchnnapi.program.ValueType;
import org.torchnnapi.program.op.ClampOp;
import org.torchnnapi.program.op.ConcatenationOp;
import org.torchnnapi.program.op.LinearOp;
import org.torchnnapi.program.op.RecurrentDirectionsOp;
import org.torchnnapi.program.op.RecurrentOp;
import org.torchnnapi.program.op.RecurrentStackOp;
import org.torchnnapi.program.op.ReshapeOp;
import org.torchnnapi.program.op.RnnStepsOp;
import org.torchnnapi.program.op.SliceOp;
import org.torchnnapi.program.op.UnaryMathOp;
import org.torchnnapi.tensor.platform.Streams;

/**
 * Makes layers of the steps of GRUs, LSTMs and plain recurrent networks that are written out one by one, as converters
 * do for NNAPI, which has no GRU: the inputs of all steps are one product, of which each step takes its rows, and each
 * step's state is another. Which columns belong to a gate, how many gates a function is applied to at once and in which
 * order terms are added is theirs to choose. Layers over each other become a stack, and both directions of one a pair,
 * where threads gain by it.
 */
final class UnrolledRecurrences implements Pass {
    @Override
    public void run(MutableGraph draft) {
        if (draft.nodes().stream()
                .anyMatch(node -> node.op() instanceof UnaryMathOp unary && unary.op() == UnaryOp.TANH
                        || node.op() instanceof ClampOp)) {
            UnrolledSteps found = new UnrolledSteps(draft);
            UnrolledLayers layers = new UnrolledLayers(found);
            List<UnrolledLayer> all = layers.find();
            if (!all.isEmpty()) {
                new Replacing(found, layers).run(all);
            }
        }
    }

    /** Blocks of so many rows of weights, each from one on. */
    private record RowBlocks(List<Integer> from, int rows, int columns) implements Weights.Rule {
        @Override
        public int length(int given) {
            return from.size() * rows * columns;
        }

        @Override
        public float[] of(float[] given) {
            float[] out = new float[length(given.length)];
            for (int i = 0; i < from.size(); i++) {
                System.arraycopy(given, from.get(i) * columns, out, i * rows * columns, rows * columns);
            }
            return out;
        }
    }

    private static final class Replacing {
        private final UnrolledSteps found;
        private final UnrolledLayers layers;
        private final MutableGraph draft;
        private final List<OpGraph.Node> nodes;
        private final int[] producers;
        /** What replaces the layers, before the node at a position. */
        private final Map<Integer, List<OpGraph.Node>> added = new HashMap<>();

        Replacing(UnrolledSteps found, UnrolledLayers layers) {
            this.found = found;
            this.layers = layers;
            draft = found.draft;
            nodes = found.nodes;
            producers = found.producers;
        }

        void run(List<UnrolledLayer> all) {
            // Layers that became one with their forward direction.
            Set<UnrolledLayer> replaced = new HashSet<>();
            for (List<UnrolledLayer> stack : layers.stacks(all)) {
                UnrolledLayer other = stack.size() == 1 && stack.get(0).stride() > 0
                        ? layers.backward(stack.get(0), all, replaced)
                        : null;
                if (other != null) {
                    replace(stack.get(0), other);
                    replaced.add(other);
                } else if (!replaced.contains(stack.get(0))) {
                    replace(stack);
                }
            }
            draft.replace(sorted());
        }

        private void replace(List<UnrolledLayer> stack) {
            UnrolledLayer top = stack.get(stack.size() - 1);
            List<OpGraph.Node> made =
                    added.computeIfAbsent(producers[top.first().out()], at -> new ArrayList<>());
            List<RecurrentOp> ops = new ArrayList<>();
            List<Integer> inputs = new ArrayList<>(List.of(inputs(stack.get(0), made)));
            for (UnrolledLayer layer : stack) {
                inputs.add(layer.first().before());
                if (layer.first().cellBefore() >= 0) {
                    inputs.add(layer.first().cellBefore());
                }
                if (layer.first().cell() != null) {
                    ops.add(op(layer));
                }
            }
            UnrolledStep first = stack.get(0).first();
            Op op = first.cell() == null
                    ? new RnnStepsOp(
                            first.units(draft),
                            layers.product(first).weights(),
                            first.function(),
                            stack.get(0).stride() < 0)
                    : stack.size() == 1 ? ops.get(0) : new RecurrentStackOp(ops);
            int result =
                    add(made, op, inputs.stream().mapToInt(Integer::intValue).toArray());
            int count = top.steps().size();
            for (int i = 0; i < stack.size(); i++) {
                UnrolledLayer layer = stack.get(i);
                boolean isTop = layer == top;
                for (UnrolledStep step : layer.steps()) {
                    if (isTop || step == layer.last()) {
                        name(
                                step.out(),
                                result,
                                isTop ? (step.row() - layer.firstRow()) / step.count(draft) : count + i);
                    }
                }
                if (layer.last().cellOut() >= 0) {
                    name(layer.last().cellOut(), result, stack.size() == 1 ? count : count + stack.size() + i);
                }
            }
            for (int i = 0; i < nodes.size(); i++) {
                OpGraph.Node node = nodes.get(i);
                if (node.op() instanceof ConcatenationOp && layers.isOutputs(node, top)) {
                    rows(i, result, count);
                }
            }
        }

        /** Both directions of a layer. */
        private void replace(UnrolledLayer forward, UnrolledLayer backward) {
            UnrolledStep one = forward.first();
            UnrolledStep other = backward.first();
            int units = one.units(draft);
            int count = forward.steps().size();
            List<OpGraph.Node> made = added.computeIfAbsent(producers[other.out()], at -> new ArrayList<>());
            RecurrentDirectionsOp op = new RecurrentDirectionsOp(op(forward), op(backward));
            int in = inputs(forward, made);
            int result = one.cellBefore() < 0
                    ? add(made, op, in, one.before(), other.before())
                    : add(made, op, in, one.before(), one.cellBefore(), other.before(), other.cellBefore());
            List<UnrolledLayer> directions = List.of(forward, backward);
            List<Set<Integer>> outputs = List.of(new HashSet<>(), new HashSet<>());
            int[] outs = new int[2];
            for (int i = 0; i < 2; i++) {
                UnrolledLayer layer = directions.get(i);
                outs[i] = add(made, SliceOp.of(draft.type(result), 2, i * units, (i + 1) * units), result);
                for (UnrolledStep step : layer.steps()) {
                    name(step.out(), outs[i], (step.row() - layer.firstRow()) / step.count(draft));
                }
                if (layer.last().cellOut() >= 0) {
                    int cells = add(made, SliceOp.of(draft.type(result), 0, count + 1, count + 2), result);
                    int both = add(made, new ReshapeOp(new int[] {2, one.count(draft), units}), cells);
                    name(layer.last().cellOut(), both, i);
                }
                for (int at = 0; at < nodes.size(); at++) {
                    OpGraph.Node node = nodes.get(at);
                    if (node.op() instanceof ConcatenationOp && layers.isOutputs(node, layer)) {
                        outputs.get(i).add(node.output());
                        rows(at, outs[i], count);
                    }
                }
            }
            for (int at = 0; at < nodes.size(); at++) {
                OpGraph.Node node = nodes.get(at);
                int[] parts = node.inputs();
                if (node.op() instanceof ConcatenationOp beside
                        && (beside.axis() == 1 || beside.axis() == -1)
                        && parts.length == 2
                        && outputs.get(0).contains(parts[0])
                        && outputs.get(1).contains(parts[1])) {
                    rows(at, result, count);
                }
            }
        }

        /** Makes a node's result the first rows of a layer's. */
        private void rows(int at, int result, int count) {
            OpGraph.Node node = nodes.get(at);
            int rows = add(
                    added.computeIfAbsent(at, place -> new ArrayList<>()),
                    SliceOp.of(draft.type(result), 0, 0, count),
                    result);
            nodes.set(
                    at,
                    new OpGraph.Node(
                            new ReshapeOp(draft.type(node.output()).shape()), new int[] {rows}, node.output()));
        }

        /** The inputs of a layer, or for a plain one what they add: [steps, batch, ...]. */
        private int inputs(UnrolledLayer layer, List<OpGraph.Node> made) {
            UnrolledStep first = layer.first();
            OpGraph.Node product = found.made(first.all());
            int all = first.all();
            if (first.cell() != null) {
                all = product.inputs()[0];
            } else if (layers.product(first).bias() != null
                    && !isZero(layers.product(first).bias())) {
                LinearOp input = (LinearOp) product.op();
                float[] bias = layers.product(first).bias().clone();
                for (int i = 0; input.bias() != null && i < bias.length; i++) {
                    bias[i] += input.bias()[i];
                }
                all = add(
                        made,
                        new LinearOp(
                                input.in(), input.out(), input.weights(), bias, input.activation(), input.precision()),
                        product.inputs()[0]);
            }
            int rows = layer.steps().size() * first.count(draft);
            ValueType type = draft.type(all);
            int own = type.dimension(0) == rows
                    ? all
                    : add(made, SliceOp.of(type, 0, layer.firstRow(), layer.firstRow() + rows), all);
            return add(
                    made, new ReshapeOp(new int[] {layer.steps().size(), first.count(draft), type.dimension(1)}), own);
        }

        private static boolean isZero(float... values) {
            for (float value : values) {
                if (value != 0) {
                    return false;
                }
            }
            return true;
        }

        private RecurrentOp op(UnrolledLayer layer) {
            UnrolledStep first = layer.first();
            int units = first.units(draft);
            LinearOp input = (LinearOp) found.made(first.all()).op();
            LinearOp state = layers.product(first);
            List<Integer> inputs =
                    first.gates().stream().map(gate -> gate.input().from()).collect(Streams.toList());
            List<Integer> states =
                    first.gates().stream().map(gate -> gate.state().from()).collect(Streams.toList());
            return new RecurrentOp(
                    first.cell(),
                    input.in(),
                    units,
                    input.weights().made(new RowBlocks(inputs, units, input.in())),
                    state.weights().made(new RowBlocks(states, units, units)),
                    biases(input.bias(), inputs, units),
                    biases(state.bias(), states, units),
                    layer.stride() < 0);
        }

        private static float[] biases(float[] values, List<Integer> from, int units) {
            return values == null ? null : new RowBlocks(from, units, 1).of(values);
        }

        private int add(List<OpGraph.Node> made, Op op, int... inputs) {
            int value = draft.add(op.result(draft.types(inputs)), null, null);
            made.add(new OpGraph.Node(op, inputs, value));
            return value;
        }

        /** Makes a value a row of a layer's result. */
        private void name(int value, int result, int row) {
            int at = producers[value];
            int part = add(
                    added.computeIfAbsent(at, place -> new ArrayList<>()),
                    SliceOp.of(draft.type(result), 0, row, row + 1),
                    result);
            nodes.set(at, new OpGraph.Node(new ReshapeOp(draft.type(value).shape()), new int[] {part}, value));
        }

        /** All nodes, each behind those that make what it takes. */
        private List<OpGraph.Node> sorted() {
            List<OpGraph.Node> all = new ArrayList<>();
            for (int i = 0; i < nodes.size(); i++) {
                all.addAll(added.getOrDefault(i, List.of()));
                all.add(nodes.get(i));
            }
            Map<Integer, OpGraph.Node> makers = new HashMap<>();
            all.forEach(node -> makers.put(node.output(), node));
            List<OpGraph.Node> sorted = new ArrayList<>();
            Set<Integer> done = new HashSet<>();
            for (OpGraph.Node node : all) {
                // The latest is the one that is looked at; it comes again once what it takes is done.
                List<OpGraph.Node> open = new ArrayList<>(List.of(node));
                while (!open.isEmpty()) {
                    OpGraph.Node next = open.get(open.size() - 1);
                    int before = open.size();
                    for (int input : next.inputs()) {
                        if (makers.containsKey(input) && !done.contains(input)) {
                            open.add(makers.get(input));
                        }
                    }
                    if (open.size() == before) {
                        open.remove(before - 1);
                        if (done.add(next.output())) {
                            sorted.add(next);
                        }
                    }
                }
            }
            return sorted;
        }
    }
}
