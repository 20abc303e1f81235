package org.torchnnapi.program.internal;

import java.util.ArrayList;
import java.util.Arrays;
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
import org.torchnnapi.program.internal.UnrolledStep.Part;
import org.torchnnapi.program.internal.UnrolledStep.Sum;
import org.torchnnapi.program.op.CellFunction;
import org.torchnnapi.program.op.ClampOp;
import org.torchnnapi.program.op.LinearOp;
import org.torchnnapi.program.op.SliceOp;

/** Finds steps of GRUs, LSTMs and plain recurrent networks among a draft's nodes. */
final class UnrolledSteps extends MutableGraphRewriting {
    private static final int[][] NONE = {};

    UnrolledSteps(MutableGraph draft) {
        super(draft);
    }

    /** By value the step whose output it is, in the order of the nodes. */
    Map<Integer, UnrolledStep> find() {
        Map<Integer, UnrolledStep> steps = new LinkedHashMap<>();
        for (OpGraph.Node node : nodes) {
            ValueType type = draft.type(node.output());
            UnrolledStep step = type.isFloat() && type.rank() == 2 ? step(node.output()) : null;
            if (step != null && isSelfContained(step)) {
                steps.put(step.out(), step);
            }
        }
        return steps;
    }

    private UnrolledStep step(int out) {
        UnrolledStep gru = gru(out);
        UnrolledStep found = gru == null ? lstm(out) : gru;
        return found == null ? plain(out) : found;
    }

    /** {@code n + z * (h - n)}. */
    private UnrolledStep gru(int out) {
        for (int[] sum : binary(out, BinaryOp.ADD)) {
            for (int[] product : binary(sum[1], BinaryOp.MUL)) {
                for (int[] difference : binary(product[1], BinaryOp.SUB)) {
                    Sum update = difference[1] == sum[0] ? gate(product[0], UnaryOp.SIGMOID, -1) : null;
                    UnrolledStep found = update == null ? null : gru(out, sum[0], update, whole(difference[0]));
                    if (found != null) {
                        return found;
                    }
                }
            }
        }
        return null;
    }

    private UnrolledStep gru(int out, int fresh, Sum update, int before) {
        for (int[] sum : binary(applied(fresh, UnaryOp.TANH), BinaryOp.ADD)) {
            for (int[] product : binary(sum[1], BinaryOp.MUL)) {
                Sum reset = gate(product[0], UnaryOp.SIGMOID, before);
                Sum both = reset == null ? null : new Sum(part(sum[0]), part(product[1]));
                UnrolledStep found = both == null
                        ? null
                        : found(Cell.GRU, null, out, -1, before, -1, List.of(reset, isOf(update, before), both));
                if (found != null) {
                    return found;
                }
            }
        }
        return null;
    }

    /** {@code o * tanh(f * c + i * g)}. */
    private UnrolledStep lstm(int out) {
        for (int[] product : binary(out, BinaryOp.MUL)) {
            int cell = applied(product[1], UnaryOp.TANH);
            Sum output = cell < 0 ? null : gate(product[0], UnaryOp.SIGMOID, -1);
            for (int[] sum : output == null ? NONE : binary(whole(cell), BinaryOp.ADD)) {
                for (int[] kept : binary(sum[0], BinaryOp.MUL)) {
                    for (int[] entering : binary(sum[1], BinaryOp.MUL)) {
                        Sum fresh = gate(entering[1], UnaryOp.TANH, -1);
                        Sum input = fresh == null ? null : gate(entering[0], UnaryOp.SIGMOID, -1);
                        Sum forget = input == null ? null : gate(kept[0], UnaryOp.SIGMOID, -1);
                        UnrolledStep found = forget == null
                                ? null
                                : found(
                                        Cell.LSTM,
                                        null,
                                        out,
                                        whole(cell),
                                        stateOf(forget),
                                        whole(kept[1]),
                                        List.of(input, forget, fresh, output));
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
    private UnrolledStep plain(int out) {
        OpGraph.Node node = made(out);
        boolean relu = node != null
                && node.op() instanceof ClampOp limit
                && limit.clamp().equals(Clamp.RELU);
        Sum sum = relu ? sum(new Part(node.inputs()[0], 0), -1) : gate(out, UnaryOp.TANH, -1);
        return sum == null
                ? null
                : found(null, relu ? CellFunction.RELU : CellFunction.TANH, out, -1, stateOf(sum), -1, List.of(sum));
    }

    /**
     * The sum again, its sides exchanged if that is how the state's product is on the right one; the same if neither
     * is.
     */
    private Sum isOf(Sum sum, int before) {
        return stateOf(sum) != before && stateOf(new Sum(sum.state(), sum.input())) == before
                ? new Sum(sum.state(), sum.input())
                : sum;
    }

    /** What the state's product is of; -1 if it is none. */
    private int stateOf(Sum sum) {
        OpGraph.Node node = made(sum.state().value());
        return node != null && node.op() instanceof LinearOp ? whole(node.inputs()[0]) : -1;
    }

    private UnrolledStep found(
            Cell cell, CellFunction function, int out, int cellOut, int before, int cellBefore, List<Sum> gates) {
        ValueType type = draft.type(out);
        int units = type.dimension(1);
        Sum first = gates.get(0);
        for (Sum gate : gates) {
            boolean same = gate.input().value() == first.input().value()
                    && gate.state().value() == first.state().value();
            if (!same
                    || gate.input().from() + units
                            > draft.type(first.input().value()).dimension(1)
                    || gate.state().from() + units
                            > draft.type(first.state().value()).dimension(1)) {
                return null;
            }
        }
        boolean isState = before >= 0
                && stateOf(first) == before
                && draft.type(before).equals(type)
                && (cellBefore < 0 || draft.type(cellBefore).equals(type));
        OpGraph.Node product = isState ? made(first.state().value()) : null;
        if (product == null
                || !isSum(product.op())
                || draft.type(first.input().value()).dimension(0) != type.dimension(0)) {
            return null;
        }
        OpGraph.Node input = made(first.input().value());
        if (input != null && input.op() instanceof SliceOp slice && takesRows(slice, draft.type(input.inputs()[0]))) {
            return new UnrolledStep(
                    cell,
                    function,
                    out,
                    cellOut,
                    before,
                    cellBefore,
                    whole(input.inputs()[0]),
                    slice.begin()[0],
                    producers[first.state().value()],
                    gates);
        }
        return input == null || !isSum(input.op())
                ? null
                : new UnrolledStep(
                        cell,
                        function,
                        out,
                        cellOut,
                        before,
                        cellBefore,
                        first.input().value(),
                        0,
                        producers[first.state().value()],
                        gates);
    }

    static boolean isSum(Op op) {
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
        int in = applied(after.value(), function);
        return in < 0 ? null : sum(part(in).after(after.from()), before);
    }

    /** @param before the state whose product one side is to be of, -1 if any */
    private Sum sum(Part part, int before) {
        Sum found = null;
        for (int[] sides : binary(part.value(), BinaryOp.ADD)) {
            Sum sum = new Sum(part(sides[0]).after(part.from()), part(sides[1]).after(part.from()));
            int state = stateOf(sum);
            // Where both are products, of a single step, the state's was made later; for what is summed up it makes no
            // difference.
            boolean later = found == null || sum.state().value() > found.state().value();
            found = state >= 0 && (before < 0 ? later : state == before) ? sum : found;
        }
        return found;
    }

    /** Both orders of the operands of a function of two values that are as large as its result. */
    private int[][] binary(int value, BinaryOp op) {
        OpGraph.Node node = made(value, op);
        if (node == null || node.output() != value) {
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

    private Part part(int value) {
        int from = 0;
        int at = whole(value);
        OpGraph.Node node = made(at);
        while (node != null
                && node.op() instanceof SliceOp slice
                && takesColumns(slice, draft.type(node.inputs()[0]))) {
            from += slice.begin()[1];
            at = whole(node.inputs()[0]);
            node = made(at);
        }
        return new Part(at, from);
    }

    private static boolean takesColumns(SliceOp slice, ValueType in) {
        return in.rank() == 2 && slice.begin()[0] == 0 && slice.size()[0] == in.dimension(0) && isDense(slice);
    }

    /** Whether nobody else needs what a step has in between. */
    private boolean isSelfContained(UnrolledStep step) {
        Set<Integer> inside = inside(step);
        int[] own = new int[draft.values()];
        for (int at : inside) {
            for (int input : nodes.get(at).inputs()) {
                own[input]++;
            }
        }
        return inside.stream()
                .map(at -> nodes.get(at).output())
                .allMatch(value -> value == step.out() || value == step.cellOut() || own[value] == uses[value]);
    }

    /** The nodes of a step from what it takes on. */
    Set<Integer> inside(UnrolledStep step) {
        Set<Integer> inside = new HashSet<>();
        Set<Integer> ends = new HashSet<>(List.of(
                step.before(), step.cellBefore(), step.gates().get(0).input().value()));
        List<Integer> left = new ArrayList<>(List.of(step.out()));
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
}
