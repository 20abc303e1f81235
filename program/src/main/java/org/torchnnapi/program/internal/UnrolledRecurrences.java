package org.torchnnapi.program.internal;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.torchnnapi.kernels.BinaryOp;
import org.torchnnapi.kernels.Clamp;
import org.torchnnapi.kernels.FloatRecurrent.Cell;
import org.torchnnapi.kernels.UnaryOp;
import org.torchnnapi.program.Op;
import org.torchnnapi.program.OpGraph;
import org.torchnnapi.program.ValueType;
import org.torchnnapi.program.op.BinaryMathOp;
import org.torchnnapi.program.op.CellFunction;
import org.torchnnapi.program.op.ConcatenationOp;
import org.torchnnapi.program.op.LimitOp;
import org.torchnnapi.program.op.LinearOp;
import org.torchnnapi.program.op.RecurrentDirectionsOp;
import org.torchnnapi.program.op.RecurrentOp;
import org.torchnnapi.program.op.RecurrentStackOp;
import org.torchnnapi.program.op.ReshapeOp;
import org.torchnnapi.program.op.RnnStepsOp;
import org.torchnnapi.program.op.SliceOp;
import org.torchnnapi.program.op.UnaryMathOp;

/**
 * Makes layers of the steps of GRUs, LSTMs and plain recurrent networks that are written out one by one, as converters do for NNAPI, which has no GRU: the inputs
 * of all steps are one product, of which each step takes its rows, and each step's state is another. Which columns belong to a gate, how many gates a function
 * is applied to at once and in which order terms are added is theirs to choose. Layers over each other become a stack, and
 * both directions of one a pair, where threads gain by it.
 */
final class UnrolledRecurrences implements Pass {
    @Override
    public void run(Draft draft) {
        if (draft.nodes().stream().anyMatch(node -> node.op() instanceof UnaryMathOp unary && unary.op() == UnaryOp.TANH || node.op() instanceof LimitOp)) {
            new Search(draft).run();
        }
    }

    /** Columns of a value, from one on. */
    private record Part(int value, int from) {
        Part after(int columns) {
            return new Part(value, from + columns);
        }
    }

    /** What a gate sums up: columns of what the inputs add, and of what the state before adds. */
    private record Sum(Part input, Part state) {
    }

    /**
     * One step.
     *
     * @param cell     null for a plain network
     * @param function a plain network's, else null
     * @param out      its output, the state for the next one
     * @param cellOut  its cell state, -1 where there is none
     * @param before   the state before it; {@code cellBefore} its cell state, -1 where there is none
     * @param all      the inputs' product, of which rows from {@code row} on are this step's
     * @param product  the state's product, a node
     * @param gates    by gate in the cell's order its columns in both products
     */
    private record Found(Cell cell, CellFunction function, int out, int cellOut, int before, int cellBefore, int all, int row, int product, List<Sum> gates) {
        int count(Draft draft) {
            return draft.type(out).dimension(0);
        }

        int units(Draft draft) {
            return draft.type(out).dimension(1);
        }
    }

    /** Steps of one layer in the order in which they are done. */
    private static final class Layer {
        private final List<Found> steps = new ArrayList<>();
        /** Rows from a step to the next, negative where the last input comes first; 0 as long as there is one step. */
        private int stride;

        Found first() {
            return steps.get(0);
        }

        Found last() {
            return steps.get(steps.size() - 1);
        }

        int firstRow() {
            return Math.min(first().row, last().row);
        }
    }

    private static final class Search extends DraftRewriting {
        /** By value the step whose output it is. */
        private final Map<Integer, Found> steps = new LinkedHashMap<>();
        private final Map<Found, Layer> layers = new HashMap<>();
        /** What replaces the layers, before the node at a position. */
        private final Map<Integer, List<OpGraph.Node>> added = new HashMap<>();
        /** Layers that became one with their forward direction. */
        private final Set<Layer> replaced = new HashSet<>();

        Search(Draft draft) {
            super(draft);
        }

        void run() {
            for (OpGraph.Node node : draft.nodes()) {
                ValueType type = draft.type(node.output());
                Found step = type.isFloat() && type.rank() == 2 ? step(node.output()) : null;
                if (step != null && isSelfContained(step)) {
                    steps.put(step.out, step);
                }
            }
            List<Layer> all = linked();
            all.removeIf(layer -> !isLayer(layer));
            if (all.isEmpty()) {
                return;
            }
            for (List<Layer> stack : stacks(all)) {
                Layer other = stack.size() == 1 && stack.get(0).stride > 0 ? backward(stack.get(0), all) : null;
                if (other != null) {
                    replace(stack.get(0), other);
                    replaced.add(other);
                } else if (!replaced.contains(stack.get(0))) {
                    replace(stack);
                }
            }
            draft.replace(sorted());
        }

        // Steps.

        private Found step(int out) {
            Found gru = gru(out);
            Found found = gru == null ? lstm(out) : gru;
            return found == null ? plain(out) : found;
        }

        /** {@code n + z * (h - n)}. */
        private Found gru(int out) {
            for (int[] sum : binary(out, BinaryOp.ADD)) {
                for (int[] product : binary(sum[1], BinaryOp.MUL)) {
                    for (int[] difference : binary(product[1], BinaryOp.SUB)) {
                        Sum update = difference[1] == sum[0] ? gate(product[0], UnaryOp.SIGMOID, -1) : null;
                        Found found = update == null ? null : gru(out, sum[0], update, whole(difference[0]));
                        if (found != null) {
                            return found;
                        }
                    }
                }
            }
            return null;
        }

        private Found gru(int out, int fresh, Sum update, int before) {
            for (int[] sum : binary(applied(fresh, UnaryOp.TANH), BinaryOp.ADD)) {
                for (int[] product : binary(sum[1], BinaryOp.MUL)) {
                    Sum reset = gate(product[0], UnaryOp.SIGMOID, before);
                    Sum both = reset == null ? null : new Sum(part(sum[0]), part(product[1]));
                    Found found = both == null ? null : found(Cell.GRU, null, out, -1, before, -1, List.of(reset, isOf(update, before), both));
                    if (found != null) {
                        return found;
                    }
                }
            }
            return null;
        }

        /** {@code o * tanh(f * c + i * g)}. */
        private Found lstm(int out) {
            for (int[] product : binary(out, BinaryOp.MUL)) {
                int cell = applied(product[1], UnaryOp.TANH);
                Sum output = cell < 0 ? null : gate(product[0], UnaryOp.SIGMOID, -1);
                for (int[] sum : output == null ? NONE : binary(whole(cell), BinaryOp.ADD)) {
                    for (int[] kept : binary(sum[0], BinaryOp.MUL)) {
                        for (int[] entering : binary(sum[1], BinaryOp.MUL)) {
                            Sum fresh = gate(entering[1], UnaryOp.TANH, -1);
                            Sum input = fresh == null ? null : gate(entering[0], UnaryOp.SIGMOID, -1);
                            Sum forget = input == null ? null : gate(kept[0], UnaryOp.SIGMOID, -1);
                            Found found = forget == null ? null
                                    : found(Cell.LSTM, null, out, whole(cell), stateOf(forget), whole(kept[1]), List.of(input, forget, fresh, output));
                            if (found != null) {
                                return found;
                            }
                        }
                    }
                }
            }
            return null;
        }

        /** {@code tanh(x + h)} or {@code relu(x + h)}. */
        private Found plain(int out) {
            OpGraph.Node node = made(out);
            boolean relu = node != null && node.op() instanceof LimitOp limit && limit.clamp().equals(Clamp.RELU);
            Sum sum = relu ? sum(new Part(node.inputs()[0], 0), -1) : gate(out, UnaryOp.TANH, -1);
            return sum == null ? null : found(null, relu ? CellFunction.RELU : CellFunction.TANH, out, -1, stateOf(sum), -1, List.of(sum));
        }

        /** The sum again, its sides exchanged if that is how the state's product is on the right one; the same if neither is. */
        private Sum isOf(Sum sum, int before) {
            return stateOf(sum) != before && stateOf(new Sum(sum.state, sum.input)) == before ? new Sum(sum.state, sum.input) : sum;
        }

        /** What the state's product is of; -1 if it is none. */
        private int stateOf(Sum sum) {
            OpGraph.Node node = made(sum.state.value);
            return node != null && node.op() instanceof LinearOp ? whole(node.inputs()[0]) : -1;
        }

        private Found found(Cell cell, CellFunction function, int out, int cellOut, int before, int cellBefore, List<Sum> gates) {
            ValueType type = draft.type(out);
            int units = type.dimension(1);
            Sum first = gates.get(0);
            for (Sum gate : gates) {
                boolean same = gate.input.value == first.input.value && gate.state.value == first.state.value;
                if (!same || gate.input.from + units > draft.type(first.input.value).dimension(1) || gate.state.from + units > draft.type(first.state.value).dimension(1)) {
                    return null;
                }
            }
            boolean isState = before >= 0 && stateOf(first) == before && draft.type(before).equals(type) && (cellBefore < 0 || draft.type(cellBefore).equals(type));
            OpGraph.Node product = isState ? made(first.state.value) : null;
            if (product == null || !isSum(product.op()) || draft.type(first.input.value).dimension(0) != type.dimension(0)) {
                return null;
            }
            OpGraph.Node input = made(first.input.value);
            if (input != null && input.op() instanceof SliceOp slice && takesRows(slice, draft.type(input.inputs()[0]))) {
                return new Found(cell, function, out, cellOut, before, cellBefore, whole(input.inputs()[0]), slice.begin()[0], producers[first.state.value], gates);
            }
            return input == null || !isSum(input.op()) ? null
                    : new Found(cell, function, out, cellOut, before, cellBefore, first.input.value, 0, producers[first.state.value], gates);
        }

        private static boolean isSum(Op op) {
            return op instanceof LinearOp linear && linear.activation().isNone();
        }

        private static boolean takesRows(SliceOp slice, ValueType in) {
            return in.rank() == 2 && slice.begin()[1] == 0 && slice.size()[1] == in.dimension(1) && isDense(slice);
        }

        private static boolean isDense(SliceOp slice) {
            return Arrays.stream(slice.stride()).allMatch(step -> step == 1);
        }

        /** What a function gives for a sum's columns, or columns of what it gives. */
        private Sum gate(int value, UnaryOp function, int before) {
            Part after = part(value);
            int in = applied(after.value, function);
            return in < 0 ? null : sum(part(in).after(after.from), before);
        }

        /** @param before the state whose product one side is to be of, -1 if any */
        private Sum sum(Part part, int before) {
            Sum found = null;
            for (int[] sides : binary(part.value, BinaryOp.ADD)) {
                Sum sum = new Sum(part(sides[0]).after(part.from), part(sides[1]).after(part.from));
                int state = stateOf(sum);
                // Where both are products, of a single step, the state's was made later; for what is summed up it makes no difference.
                boolean later = found == null || sum.state.value > found.state.value;
                found = state >= 0 && (before < 0 ? later : state == before) ? sum : found;
            }
            return found;
        }

        private static final int[][] NONE = {};

        /** Both orders of the operands of a function of two values that are as large as its result. */
        private int[][] binary(int value, BinaryOp op) {
            OpGraph.Node node = made(value);
            if (node == null || !(node.op() instanceof BinaryMathOp binary) || binary.op() != op || !binary.clamp().isNone()) {
                return NONE;
            }
            int a = whole(node.inputs()[0]);
            int b = whole(node.inputs()[1]);
            ValueType type = draft.type(value);
            if (!type.equals(draft.type(a)) || !type.equals(draft.type(b))) {
                return NONE;
            }
            return op == BinaryOp.SUB ? new int[][] {{a, b}} : new int[][] {{a, b}, {b, a}};
        }

        /** What a function is applied to; -1 if the value is no result of it. */
        private int applied(int value, UnaryOp op) {
            OpGraph.Node node = made(value);
            return node != null && node.op() instanceof UnaryMathOp unary && unary.op() == op ? whole(node.inputs()[0]) : -1;
        }

        private Part part(int value) {
            int from = 0;
            int at = whole(value);
            OpGraph.Node node = made(at);
            while (node != null && node.op() instanceof SliceOp slice && takesColumns(slice, draft.type(node.inputs()[0]))) {
                from += slice.begin()[1];
                at = whole(node.inputs()[0]);
                node = made(at);
            }
            return new Part(at, from);
        }

        private static boolean takesColumns(SliceOp slice, ValueType in) {
            return in.rank() == 2 && slice.begin()[0] == 0 && slice.size()[0] == in.dimension(0) && isDense(slice);
        }

        /** The value that has another name for it, of the same shape. */
        private int whole(int value) {
            int at = value;
            for (OpGraph.Node node = made(at); node != null && node.op() instanceof ReshapeOp && draft.type(node.inputs()[0]).equals(draft.type(at)); node = made(at)) {
                at = node.inputs()[0];
            }
            return at;
        }

        private OpGraph.Node made(int value) {
            return value < 0 || producers[value] < 0 ? null : nodes.get(producers[value]);
        }

        /** Whether nobody else needs what a step has in between. */
        private boolean isSelfContained(Found step) {
            Set<Integer> inside = inside(step);
            int[] own = new int[draft.values()];
            for (int at : inside) {
                for (int input : nodes.get(at).inputs()) {
                    own[input]++;
                }
            }
            return inside.stream().map(at -> nodes.get(at).output()).allMatch(value -> value == step.out || value == step.cellOut || own[value] == uses[value]);
        }

        /** The nodes of a step from what it takes on. */
        private Set<Integer> inside(Found step) {
            Set<Integer> inside = new HashSet<>();
            Set<Integer> ends = new HashSet<>(List.of(step.before, step.cellBefore, step.gates.get(0).input.value));
            List<Integer> left = new ArrayList<>(List.of(step.out));
            while (!left.isEmpty()) {
                int value = left.remove(left.size() - 1);
                int at = producers[value];
                if (at >= 0 && !ends.contains(value) && inside.add(at)) {
                    for (int input : nodes.get(at).inputs()) {
                        left.add(input);
                    }
                }
            }
            return inside;
        }

        // Layers.

        private List<Layer> linked() {
            List<Layer> all = new ArrayList<>();
            for (Found step : steps.values()) {
                Found before = steps.get(step.before);
                Layer layer = before == null ? null : layers.get(before);
                int stride = before == null ? 0 : step.row - before.row;
                boolean next = layer != null && layer.last() == before && Math.abs(stride) == step.count(draft) && (layer.stride == 0 || layer.stride == stride)
                        && step.cellBefore == before.cellOut && isAlike(before, step);
                if (next) {
                    layer.stride = stride;
                } else {
                    layer = new Layer();
                    all.add(layer);
                }
                layer.steps.add(step);
                layers.put(step, layer);
            }
            return all;
        }

        private boolean isAlike(Found one, Found other) {
            if (one.cell != other.cell || one.function != other.function || one.all != other.all || one.gates.size() != other.gates.size()) {
                return false;
            }
            for (int i = 0; i < one.gates.size(); i++) {
                if (one.gates.get(i).input.from != other.gates.get(i).input.from || one.gates.get(i).state.from != other.gates.get(i).state.from) {
                    return false;
                }
            }
            LinearOp a = product(one);
            LinearOp b = product(other);
            return a == b || a.in() == b.in() && a.out() == b.out() && Arrays.equals(a.bias(), b.bias())
                    && (a.weights().origin() != null && a.weights().origin().equals(b.weights().origin()) || a.weights().view().equals(b.weights().view()));
        }

        private LinearOp product(Found step) {
            return (LinearOp) nodes.get(step.product).op();
        }

        /** Whether steps can be replaced: a product of the inputs is known, and cell states are asked for of the last step alone. */
        private boolean isLayer(Layer layer) {
            OpGraph.Node input = made(layer.first().all);
            boolean known = input != null && isSum(input.op()) && draft.type(input.inputs()[0]).rank() == 2;
            if (layer.first().cell == null) {
                return layer.steps.size() > 1 && product(layer.first()).out() == layer.first().units(draft) && layer.first().gates.get(0).input.from == 0
                        && draft.type(layer.first().all).dimension(1) == layer.first().units(draft) && (known || product(layer.first()).bias() == null);
            }
            for (int i = 0; i + 1 < layer.steps.size(); i++) {
                Found step = layer.steps.get(i);
                int own = uses(step.cellOut, inside(step)) + uses(step.cellOut, inside(layer.steps.get(i + 1)));
                if (step.cellOut >= 0 && own != uses[step.cellOut]) {
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

        // Replacing.

        /** Layers of which each but the first takes the outputs of the one before, as far as they are to be one operation. */
        private List<List<Layer>> stacks(List<Layer> all) {
            List<List<Layer>> stacks = new ArrayList<>();
            Map<Integer, List<Layer>> byOutputs = new HashMap<>();
            for (Layer layer : all) {
                OpGraph.Node input = made(layer.first().all);
                List<Layer> below = input == null ? null : byOutputs.get(whole(input.inputs()[0]));
                boolean over = below != null && isOver(layer, below.get(below.size() - 1));
                List<Layer> stack = over ? below : new ArrayList<>();
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
            List<List<Layer>> suited = new ArrayList<>();
            for (List<Layer> stack : stacks) {
                Found first = stack.get(0).first();
                boolean suits = stack.size() > 1
                        && RecurrentStackOp.suits(first.cell, first.units(draft), stack.size(), stack.get(0).steps.size(), first.count(draft));
                if (suits) {
                    suited.add(stack);
                } else {
                    stack.forEach(layer -> suited.add(List.of(layer)));
                }
            }
            return suited;
        }

        /** Whether a layer takes the outputs of another, and nobody else takes any but the last of these. */
        private boolean isOver(Layer layer, Layer below) {
            Found one = layer.first();
            Found other = below.first();
            if (one.cell == null || one.cell != other.cell || one.units(draft) != other.units(draft) || layer.stride <= 0 || below.stride <= 0
                    || layer.steps.size() != below.steps.size() || one.count(draft) != other.count(draft)) {
                return false;
            }
            int outputs = whole(made(one.all).inputs()[0]);
            if (uses[outputs] != 1 || draft.isOutput(outputs) || draft.type(one.all).dimension(0) != layer.steps.size() * one.count(draft)) {
                return false;
            }
            for (int i = 0; i + 1 < below.steps.size(); i++) {
                Found step = below.steps.get(i);
                if (uses(step.out, inside(step)) + uses(step.out, inside(below.steps.get(i + 1))) + 1 != uses[step.out]) {
                    return false;
                }
            }
            return true;
        }

        /** Whether a node puts the outputs of a layer behind one another in the order of its inputs. */
        private boolean isOutputs(OpGraph.Node node, Layer layer) {
            int[] parts = node.inputs();
            int axis = ((ConcatenationOp) node.op()).axis();
            if (axis != 0 && axis + draft.type(node.output()).rank() != 0 || parts.length != layer.steps.size()) {
                return false;
            }
            for (int i = 0; i < parts.length; i++) {
                if (whole(parts[i]) != layer.steps.get(layer.stride < 0 ? parts.length - 1 - i : i).out) {
                    return false;
                }
            }
            return true;
        }

        private void replace(List<Layer> stack) {
            Layer top = stack.get(stack.size() - 1);
            List<OpGraph.Node> made = added.computeIfAbsent(producers[top.first().out], at -> new ArrayList<>());
            List<RecurrentOp> ops = new ArrayList<>();
            List<Integer> inputs = new ArrayList<>(List.of(inputs(stack.get(0), made)));
            for (Layer layer : stack) {
                inputs.add(layer.first().before);
                if (layer.first().cellBefore >= 0) {
                    inputs.add(layer.first().cellBefore);
                }
                if (layer.first().cell != null) {
                    ops.add(op(layer));
                }
            }
            Found first = stack.get(0).first();
            Op op = first.cell == null ? new RnnStepsOp(first.units(draft), product(first).weights().values(), first.function, stack.get(0).stride < 0)
                    : stack.size() == 1 ? ops.get(0) : new RecurrentStackOp(ops);
            int result = add(made, op, inputs.stream().mapToInt(Integer::intValue).toArray());
            int count = top.steps.size();
            for (int i = 0; i < stack.size(); i++) {
                Layer layer = stack.get(i);
                boolean isTop = layer == top;
                for (Found step : layer.steps) {
                    if (isTop || step == layer.last()) {
                        name(step.out, result, isTop ? (step.row - layer.firstRow()) / step.count(draft) : count + i);
                    }
                }
                if (layer.last().cellOut >= 0) {
                    name(layer.last().cellOut, result, stack.size() == 1 ? count : count + stack.size() + i);
                }
            }
            for (int i = 0; i < nodes.size(); i++) {
                OpGraph.Node node = nodes.get(i);
                if (node.op() instanceof ConcatenationOp && isOutputs(node, top)) {
                    rows(i, result, count);
                }
            }
        }

        /** The other direction of a layer, which comes later, where threads do both at the same time; null if there is none. */
        private Layer backward(Layer forward, List<Layer> all) {
            Found one = forward.first();
            if (one.cell == null || !RecurrentDirectionsOp.suits(one.cell, one.units(draft)) || draft.type(one.all).dimension(0) != forward.steps.size() * one.count(draft)) {
                return null;
            }
            for (Layer layer : all.subList(all.indexOf(forward) + 1, all.size())) {
                Found other = layer.first();
                if (layer.stride < 0 && other.cell == one.cell && draft.type(other.out).equals(draft.type(one.out)) && layer.steps.size() == forward.steps.size()
                        && whole(made(other.all).inputs()[0]) == whole(made(one.all).inputs()[0]) && !replaced.contains(layer)) {
                    return layer;
                }
            }
            return null;
        }

        /** Both directions of a layer. */
        private void replace(Layer forward, Layer backward) {
            Found one = forward.first();
            Found other = backward.first();
            int units = one.units(draft);
            int count = forward.steps.size();
            List<OpGraph.Node> made = added.computeIfAbsent(producers[other.out], at -> new ArrayList<>());
            RecurrentDirectionsOp op = new RecurrentDirectionsOp(op(forward), op(backward));
            int in = inputs(forward, made);
            int result = one.cellBefore < 0 ? add(made, op, in, one.before, other.before)
                    : add(made, op, in, one.before, one.cellBefore, other.before, other.cellBefore);
            List<Layer> directions = List.of(forward, backward);
            List<Set<Integer>> outputs = List.of(new HashSet<>(), new HashSet<>());
            int[] outs = new int[2];
            for (int i = 0; i < 2; i++) {
                Layer layer = directions.get(i);
                outs[i] = add(made, SliceOp.of(draft.type(result), 2, i * units, (i + 1) * units), result);
                for (Found step : layer.steps) {
                    name(step.out, outs[i], (step.row - layer.firstRow()) / step.count(draft));
                }
                if (layer.last().cellOut >= 0) {
                    int cells = add(made, SliceOp.of(draft.type(result), 0, count + 1, count + 2), result);
                    int both = add(made, new ReshapeOp(new int[] {2, one.count(draft), units}), cells);
                    name(layer.last().cellOut, both, i);
                }
                for (int at = 0; at < nodes.size(); at++) {
                    OpGraph.Node node = nodes.get(at);
                    if (node.op() instanceof ConcatenationOp && isOutputs(node, layer)) {
                        outputs.get(i).add(node.output());
                        rows(at, outs[i], count);
                    }
                }
            }
            for (int at = 0; at < nodes.size(); at++) {
                OpGraph.Node node = nodes.get(at);
                int[] parts = node.inputs();
                if (node.op() instanceof ConcatenationOp beside && (beside.axis() == 1 || beside.axis() == -1) && parts.length == 2 && outputs.get(0).contains(parts[0])
                        && outputs.get(1).contains(parts[1])) {
                    rows(at, result, count);
                }
            }
        }

        /** Makes a node's result the first rows of a layer's. */
        private void rows(int at, int result, int count) {
            OpGraph.Node node = nodes.get(at);
            int rows = add(added.computeIfAbsent(at, place -> new ArrayList<>()), SliceOp.of(draft.type(result), 0, 0, count), result);
            nodes.set(at, new OpGraph.Node(new ReshapeOp(draft.type(node.output()).shape()), new int[] {rows}, node.output()));
        }

        /** The inputs of a layer, or for a plain one what they add: [steps, batch, ...]. */
        private int inputs(Layer layer, List<OpGraph.Node> made) {
            Found first = layer.first();
            OpGraph.Node product = made(first.all);
            int all = first.all;
            if (first.cell != null) {
                all = product.inputs()[0];
            } else if (product(first).bias() != null && !isZero(product(first).bias())) {
                LinearOp input = (LinearOp) product.op();
                float[] bias = product(first).bias().clone();
                for (int i = 0; input.bias() != null && i < bias.length; i++) {
                    bias[i] += input.bias()[i];
                }
                all = add(made, new LinearOp(input.in(), input.out(), input.weights(), bias, input.activation()), product.inputs()[0]);
            }
            int rows = layer.steps.size() * first.count(draft);
            ValueType type = draft.type(all);
            int own = type.dimension(0) == rows ? all : add(made, SliceOp.of(type, 0, layer.firstRow(), layer.firstRow() + rows), all);
            return add(made, new ReshapeOp(new int[] {layer.steps.size(), first.count(draft), type.dimension(1)}), own);
        }

        private static boolean isZero(float... values) {
            for (float value : values) {
                if (value != 0) {
                    return false;
                }
            }
            return true;
        }

        private RecurrentOp op(Layer layer) {
            Found first = layer.first();
            int units = first.units(draft);
            LinearOp input = (LinearOp) made(first.all).op();
            LinearOp state = product(first);
            int[] inputs = first.gates.stream().mapToInt(gate -> gate.input.from).toArray();
            int[] states = first.gates.stream().mapToInt(gate -> gate.state.from).toArray();
            return new RecurrentOp(first.cell, input.in(), units, blocks(input.weights().values(), inputs, units, input.in()),
                    blocks(state.weights().values(), states, units, units), blocks(input.bias(), inputs, units, 1), blocks(state.bias(), states, units, 1), layer.stride < 0);
        }

        /** Blocks of so many rows, each from one on. */
        private static float[] blocks(float[] values, int[] from, int rows, int columns) {
            if (values == null) {
                return null;
            }
            float[] out = new float[from.length * rows * columns];
            for (int i = 0; i < from.length; i++) {
                System.arraycopy(values, from[i] * columns, out, i * rows * columns, rows * columns);
            }
            return out;
        }

        private int add(List<OpGraph.Node> made, Op op, int... inputs) {
            int value = draft.add(op.result(draft.types(inputs)), null, null);
            made.add(new OpGraph.Node(op, inputs, value));
            return value;
        }

        /** Makes a value a row of a layer's result. */
        private void name(int value, int result, int row) {
            int at = producers[value];
            int part = add(added.computeIfAbsent(at, place -> new ArrayList<>()), SliceOp.of(draft.type(result), 0, row, row + 1), result);
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
