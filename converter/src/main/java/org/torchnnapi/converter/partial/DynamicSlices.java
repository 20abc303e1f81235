package org.torchnnapi.converter.partial;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.torchnnapi.converter.partial.AbstractValue.Known;
import org.torchnnapi.converter.partial.AbstractValue.Open;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.OperatorTrait;
import org.torchnnapi.torchscript.ir.Prim;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.Value;
import org.torchnnapi.torchscript.value.ScriptList;

/**
 * Slices whose bounds are elements of tensors. Those that have as many rows in every run, as {@code x[:, int(t):int(t)
 * + 4]} and {@code narrow(x, 1, t, 4)} have, are picked by the numbers of these rows, and the made graph checks that
 * all are there. Of others, as {@code x[:, :int(n)]}, the rows there could be are followed ({@link MaskPropagation});
 * what is made of them by rows and returned is sliced at the end.
 */
final class DynamicSlices {
    private final AbstractInterpreter interpreter;
    private final ResidualGraph residual;
    private final PickedRows rows;
    private final ElementNumbers numbers;
    private final OperatorEvaluator evaluator;
    /** By which rows they take. */
    private final Map<PickedRows.Picking, Bounds> slices = new IdentityHashMap<>();

    /**
     * Which rows a slice takes.
     *
     * @param start known, or an open whole number
     * @param end the same
     * @param stop a tensor of the number of the row behind the last one, if it is one that there is; null where the end
     *     is known
     */
    private record Bounds(AbstractValue start, AbstractValue end, Value stop) {
        boolean begins() {
            return start instanceof Known known
                    && (known.value() == null || known.value().equals(0L));
        }
    }

    DynamicSlices(
            AbstractInterpreter interpreter,
            ResidualGraph residual,
            OperatorEvaluator evaluator,
            PickedRows rows,
            ElementNumbers numbers) {
        this.interpreter = interpreter;
        this.residual = residual;
        this.rows = rows;
        this.numbers = numbers;
        this.evaluator = evaluator;
    }

    /** @return whether the node was such a slice, or computes of one and of a tensor that has all rows */
    boolean visit(Node node, List<AbstractValue> inputs) {
        if (inputs.isEmpty()) {
            return false;
        }
        if (OperatorTrait.ELEMENTWISE.of(node)
                && !slices.isEmpty()
                && !node.schema().isMutating()) {
            return met(node, inputs);
        }
        PickedRows.Rows of = rows.of(inputs.get(0));
        if (of != null && slices.containsKey(of.picking())) {
            return node.is("aten::select")
                    ? selected(node, inputs, of, slices.get(of.picking()))
                    : extreme(node, inputs, of, slices.get(of.picking()));
        }
        boolean narrow = node.is("aten::narrow");
        if (!narrow && !node.is("aten::slice")
                || !(AbstractInterpreter.sample(inputs.get(0)) instanceof Tensor from)
                || from.rank() == 0
                || from.quantization() != null
                || !(inputs.get(1) instanceof Known dimension)
                || interpreter.isWritten(node.input(0))
                || interpreter.isWritten(node.output())) {
            return false;
        }
        int at = (int) PickedRows.dimension(dimension.value(), from.rank());
        int size = from.size(at);
        if (narrow) {
            boolean counted = inputs.get(3) instanceof Known length
                    && length.value() instanceof Long
                    && inputs.get(2) instanceof Open;
            return counted
                    && window(
                            node,
                            inputs.get(0),
                            at,
                            (Open) inputs.get(2),
                            (Long) ((Known) inputs.get(3)).value(),
                            from);
        }
        boolean open = inputs.get(2) instanceof Open || inputs.get(3) instanceof Open;
        if (!open
                || size == 0
                || !(inputs.get(4) instanceof Known step)
                || !step.value().equals(1L)) {
            return false;
        }
        if (inputs.get(3) instanceof Open end) {
            if (inputs.get(2) instanceof Open start && isSum(end, start) != null) {
                return window(node, inputs.get(0), at, start, isSum(end, start), from);
            }
        }
        return any(node, inputs, at, from);
    }

    /**
     * Element by element with a tensor that has all rows, as a mask of padding has: the slice takes all of them then,
     * or PyTorch would refuse it. The made graph checks that.
     */
    private boolean met(Node node, List<AbstractValue> inputs) {
        PickedRows.Rows of = inputs.stream()
                .map(rows::of)
                .filter(own -> own != null && slices.containsKey(own.picking()))
                .findFirst()
                .orElse(null);
        if (of == null || of.picking().count < 2) {
            return false;
        }
        List<AbstractValue> all = new ArrayList<>();
        Value sliced = null;
        boolean meets = false;
        for (AbstractValue input : inputs) {
            PickedRows.Rows own = rows.of(input);
            if (own != null && (own.picking() != of.picking() || own.fromEnd() != of.fromEnd())) {
                return false;
            }
            sliced = own != null ? ((Open) input).value() : sliced;
            meets |= own == null
                    && AbstractInterpreter.sample(input) instanceof Tensor other
                    && other.rank() >= of.fromEnd()
                    && other.size(other.rank() - of.fromEnd()) == of.picking().count;
            all.add(own != null ? own.all() : input);
        }
        if (!meets || SampleEvaluator.arguments(all) == null) {
            return false;
        }
        Value count = residual.size(sliced, -rows.of(new Open(sliced, null)).fromEnd());
        residual.require(
                residual.differ(count, of.picking().count),
                "a slice has fewer rows than what it is computed with (expected: " + of.picking().count + ")");
        evaluator.residualize(node, all);
        return true;
    }

    /** One of the rows, the first or the last ones; the made graph checks that there are so many. */
    private boolean selected(Node node, List<AbstractValue> inputs, PickedRows.Rows of, Bounds bounds) {
        Long at =
                along(inputs.get(1), of) && inputs.get(2) instanceof Known place && place.value() instanceof Long value
                        ? value
                        : null;
        boolean last = at != null && at == -1 && bounds.stop() != null;
        if (!last && (at == null || at < 0 || !bounds.begins())) {
            return false;
        }
        requireRows(inputs.get(0), of, last ? 1 : at + 1);
        int dimension = of.dimension();
        int[] sizes = SampleEvaluator.without(of.sample().sizes(), dimension);
        Value taken;
        if (last) {
            Value most = interpreter.tensor(
                    residual.tensor("aten::clamp_max", bounds.stop(), of.picking().count), DType.INT64);
            Value place = interpreter.tensor(residual.difference(most, PickedRows.one(1, 0)), DType.INT64);
            Value places = residual.value(rows.reshaped(new Open(place, null), Tensor.zeros(DType.INT64), 1));
            Value row = residual.indexSelect(of.all(), dimension, places);
            int[] one = of.sample().sizes().clone();
            one[of.dimension()] = 1;
            interpreter.open(row, Tensor.zeros(of.sample().dtype(), one));
            taken = residual.squeeze(row, dimension);
        } else {
            taken = residual.select(of.all(), dimension, at);
        }
        interpreter.define(
                node.output(), interpreter.open(taken, Tensor.zeros(of.sample().dtype(), sizes)));
        return true;
    }

    /**
     * The largest or smallest of the rows, and where it is, which nothing before the rows changes where they begin with
     * the first.
     */
    private boolean extreme(Node node, List<AbstractValue> inputs, PickedRows.Rows of, Bounds bounds) {
        boolean most = node.is("aten::max") || node.is("aten::amax");
        boolean pair = (node.is("aten::max") || node.is("aten::min"))
                && node.schema().overload().equals("dim");
        boolean list = node.is("aten::amax") || node.is("aten::amin");
        AbstractValue dimension = !list
                ? inputs.size() > 1 ? inputs.get(1) : null
                : inputs.get(1) instanceof Known known && known.value() instanceof ScriptList one && one.size() == 1
                        ? new Known(one.items().get(0))
                        : inputs.get(1) instanceof AbstractValue.Held held
                                        && ResidualGraph.items(held.container()).size() == 1
                                ? ResidualGraph.items(held.container()).get(0)
                                : null;
        boolean plain = (pair || list)
                && dimension != null
                && along(dimension, of)
                && of.sample().dtype() == DType.FLOAT32
                && SampleEvaluator.arguments(inputs.subList(1, inputs.size())) != null
                && (list || bounds.begins() || !node.output(1).isUsed());
        if (!plain) {
            return false;
        }
        requireRows(inputs.get(0), of, 1);
        float beyond = most ? Float.NEGATIVE_INFINITY : Float.POSITIVE_INFINITY;
        evaluator.residualize(node, inputs, 0, rows.filled(of, beyond));
        return true;
    }

    private static boolean along(AbstractValue dimension, PickedRows.Rows of) {
        return dimension instanceof Known known
                && known.value() instanceof Long
                && PickedRows.dimension(known.value(), of.sample().rank()) == of.dimension();
    }

    private void requireRows(AbstractValue sliced, PickedRows.Rows of, long least) {
        Value count = residual.size(sliced, of.dimension());
        residual.require(residual.isLess(count, least), "a slice has too few rows (expected: at least " + least + ")");
    }

    /** What is added to one number for the other, or null. */
    private static Long isSum(Open sum, Open number) {
        Node node = sum.value().definition();
        if (node == null || !node.is("aten::add") || node.inputs().size() != 2) {
            return null;
        }
        int own = node.input(0) == number.value() ? 0 : node.input(1) == number.value() ? 1 : -1;
        Node other = own < 0 ? null : node.input(1 - own).definition();
        return other != null && other.is(Prim.CONSTANT) && other.attribute("value") instanceof Long value
                ? value
                : null;
    }

    private boolean window(Node node, AbstractValue known, int at, Open start, long count, Tensor from) {
        Value first = count < 1 || count > from.size(at)
                ? null
                : start.value().type() == Type.Basic.TENSOR ? null : numbers.tensor(start);
        if (first == null) {
            return false;
        }
        Value wrong = residual.or(
                residual.isLess(start.value(), 0), residual.isGreater(start.value(), from.size(at) - count));
        residual.require(
                wrong,
                "a slice of " + count + " begins where fewer are left (expected: one that begins at 0 to "
                        + (from.size(at) - count) + ")");
        Value places = interpreter.tensor(residual.sum(first, places((int) count)), DType.INT64, (int) count);
        Value taken = residual.indexSelect(known, at, places);
        int[] sizes = from.sizes().clone();
        sizes[at] = (int) count;
        interpreter.define(node.output(), interpreter.open(taken, Tensor.zeros(from.dtype(), sizes)));
        return true;
    }

    private boolean any(Node node, List<AbstractValue> inputs, int at, Tensor from) {
        int size = from.size(at);
        Value start = number(inputs.get(2), size, true);
        Value stop = number(inputs.get(3), size, false);
        Value mask = bound(start, size, "aten::ge.Tensor");
        Value below = bound(stop, size, "aten::lt.Tensor");
        if (inputs.get(2) instanceof Open && mask == null || inputs.get(3) instanceof Open && below == null) {
            return false;
        }
        if (below != null && mask != null) {
            mask = interpreter.tensor(residual.both(mask, below), DType.BOOL, size);
        }
        Open picks = new Open(mask != null ? mask : below, Tensor.zeros(DType.BOOL, size));
        PickedRows.Picking picking = rows.picking(picks);
        slices.putIfAbsent(
                picking, new Bounds(inputs.get(2), inputs.get(3), inputs.get(3) instanceof Open ? stop : null));
        interpreter.residualize(node);
        rows.put(((Open) interpreter.of(node.output())).value(), new PickedRows.Rows(inputs.get(0), picking, at));
        return true;
    }

    /** A bound as a tensor of it, counted from the front; null where it bounds nothing, or no tensor says it. */
    private Value number(AbstractValue known, int size, boolean least) {
        if (known instanceof Known constant) {
            boolean none = constant.value() == null
                    || least && constant.value().equals(0L)
                    || !least && (Long) constant.value() >= size;
            return none
                    ? null
                    : residual.constant(
                            PickedRows.one((Long) constant.value() + ((Long) constant.value() < 0 ? size : 0), 0));
        }
        Value number = known instanceof Open open ? numbers.tensor(open) : null;
        if (number == null) {
            return null;
        }
        Value negative = interpreter.tensor(residual.tensor("aten::lt.Scalar", number, 0), DType.BOOL);
        Value turned = interpreter.tensor(residual.sum(number, PickedRows.one(size, 0)), DType.INT64);
        return interpreter.tensor(residual.where(negative, turned, number), DType.INT64);
    }

    /** The first places, in order. */
    private static Tensor places(int count) {
        return PickedRows.coordinates(new int[] {count}, 0);
    }

    /** Which places are on the right side of a bound. */
    private Value bound(Value number, int size, String comparison) {
        if (number == null) {
            return null;
        }
        return interpreter.tensor(residual.tensor(comparison, places(size), number), DType.BOOL, size);
    }

    /**
     * A result of the graph: where it was made, row by row, of what such a slice takes, the slice of the same of all
     * rows.
     */
    AbstractValue returned(AbstractValue result) {
        PickedRows.Rows of = rows.of(result);
        Bounds bounds = of == null ? null : slices.get(of.picking());
        if (bounds == null || !residual.isCertain()) {
            return result;
        }
        Value made = residual.slice(of.all(), of.dimension(), bounds.start(), bounds.end());
        return interpreter.open(made, null);
    }
}
