package org.torchnnapi.converter.lower;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.DoubleBinaryOperator;
import org.torchnnapi.converter.partial.TensorFacts;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.Value;
import org.torchnnapi.torchscript.passes.Literals;

/**
 * Between which numbers elements of a tensor lie, whatever the inputs are, as far as what computes them tells. Rounding
 * to float32 keeps order, so bounds that are rounded likewise hold for rounded elements. NaN lies between any.
 */
public record Bounds(double least, double greatest) {
    private static final Bounds ANY = new Bounds(Double.NEGATIVE_INFINITY, Double.POSITIVE_INFINITY);
    /** All places along the last dimension. */
    private static final int ALL = -1;

    private static final int LOOK_BACK = 32;

    /** Of the elements of a float32 tensor at one place along its last dimension. */
    static Bounds of(Value value, int place, LoweringContext context) {
        return of(value, place, context, LOOK_BACK);
    }

    /** Of all elements of a tensor, or of a number. */
    static Bounds of(Value value, LoweringContext context) {
        return of(value, ALL, context, LOOK_BACK);
    }

    double magnitude() {
        return Math.max(Math.abs(least), Math.abs(greatest));
    }

    private static Bounds of(Value value, int place, LoweringContext context, int depth) {
        if (value.type() != Type.Basic.TENSOR) {
            return Literals.of(value)
                    .map(Literals.Literal::value)
                    .filter(Number.class::isInstance)
                    .map(number -> new Bounds(((Number) number).doubleValue(), ((Number) number).doubleValue()))
                    .orElse(ANY);
        }
        if (context.isConstant(value)) {
            return ofElements(context.tensor(value), place);
        }
        Node node = value.definition();
        if (node == null || depth == 0 || !context.isKnown(value)) {
            return ANY;
        }
        return switch (node.kind()) {
            case "aten::sigmoid", "aten::softmax", "aten::hardsigmoid" -> new Bounds(0, 1);
            case "aten::tanh" -> new Bounds(-1, 1);
            case "aten::relu" -> of(node.input(0), place, context, depth - 1).limited(0, ANY.greatest);
            case "aten::relu6" -> of(node.input(0), place, context, depth - 1).limited(0, 6);
            case "aten::clamp", "aten::clip", "aten::hardtanh", "aten::clamp_min" ->
                of(node.input(0), place, context, depth - 1)
                        .limited(limit(node, 1, context, ANY.least), limit(node, 2, context, ANY.greatest));
            case "aten::clamp_max" ->
                of(node.input(0), place, context, depth - 1).limited(ANY.least, limit(node, 1, context, ANY.greatest));
            case "aten::add" -> scale(node, context) == 1 ? both(node, place, context, depth, (a, b) -> a + b) : ANY;
            case "aten::sub" -> scale(node, context) == 1 ? both(node, place, context, depth, (a, b) -> a - b) : ANY;
            case "aten::mul" -> both(node, place, context, depth, (a, b) -> a * b);
            case "aten::where" ->
                node.inputs().size() < 3
                        ? ANY
                        : of(node.input(1), ALL, context, depth - 1).with(of(node.input(2), ALL, context, depth - 1));
            case "aten::cat" -> joined(node, place, context, depth, false);
            case "aten::stack" -> joined(node, place, context, depth, true);
            case "aten::slice" -> slice(node, place, context, depth);
            default -> node.schema() != null && node.schema().isView() ? view(node, place, context, depth) : ANY;
        };
    }

    private static Bounds ofElements(Tensor tensor, int place) {
        int columns = tensor.rank() == 0 ? 1 : tensor.size(tensor.rank() - 1);
        Bounds bounds = null;
        for (int i = 0; i < tensor.numel(); i++) {
            if (place == ALL || i % columns == place) {
                bounds = new Bounds(tensor.getDouble(i), tensor.getDouble(i)).with(bounds);
            }
        }
        return bounds == null ? ANY : bounds;
    }

    private static double limit(Node node, int index, LoweringContext context, double none) {
        Value value = context.optional(node, index);
        return value == null ? none : value.type() == Type.Basic.TENSOR ? Double.NaN : (float) context.number(value);
    }

    /** What the second operand of a sum is multiplied by. */
    private static double scale(Node node, LoweringContext context) {
        return context.optional(node, 2) == null ? 1 : context.number(node.input(2));
    }

    /** Of a function of two tensors that rises or falls with each of its operands. */
    private static Bounds both(
            Node node, int place, LoweringContext context, int depth, DoubleBinaryOperator function) {
        int columns = columns(node.output(), context);
        Bounds a = of(node.input(0), broadcast(node.input(0), place, columns, context), context, depth - 1);
        Bounds b = of(node.input(1), broadcast(node.input(1), place, columns, context), context, depth - 1);
        double[] ends = {
            function.applyAsDouble(a.least, b.least),
            function.applyAsDouble(a.least, b.greatest),
            function.applyAsDouble(a.greatest, b.least),
            function.applyAsDouble(a.greatest, b.greatest)
        };
        return known((float) Arrays.stream(ends).min().getAsDouble(), (float)
                Arrays.stream(ends).max().getAsDouble());
    }

    private static int broadcast(Value value, int place, int columns, LoweringContext context) {
        return value.type() == Type.Basic.TENSOR
                        && (context.isConstant(value) || context.isKnown(value))
                        && columns(value, context) == columns
                ? place
                : ALL;
    }

    private static int columns(Value value, LoweringContext context) {
        TensorFacts known = context.facts(value);
        return known.rank() == 0 ? 1 : known.size(known.rank() - 1);
    }

    private static Bounds joined(Node node, int place, LoweringContext context, int depth, boolean stacked) {
        int rank = context.facts(node.output()).rank();
        Node list = node.input(0).definition();
        if (list == null || !list.is("prim::ListConstruct")) {
            return ANY;
        }
        boolean along = context.dimension(node.input(1), rank) == rank - 1;
        List<Bounds> parts = new ArrayList<>();
        int begin = 0;
        for (Value item : list.inputs()) {
            if (!context.isConstant(item) && !context.isKnown(item)) {
                return ANY;
            }
            int columns = stacked ? 1 : columns(item, context);
            if (!along || place == ALL) {
                parts.add(of(item, place, context, depth - 1));
            } else if (place >= begin && place < begin + columns) {
                parts.add(of(item, stacked ? ALL : place - begin, context, depth - 1));
            }
            begin += columns;
        }
        return parts.stream().reduce(Bounds::with).orElse(ANY);
    }

    private static Bounds slice(Node node, int place, LoweringContext context, int depth) {
        TensorFacts from = context.facts(node.input(0));
        if (place == ALL || context.dimension(node.input(1), from.rank()) < from.rank() - 1) {
            return of(node.input(0), place, context, depth - 1);
        }
        int columns = columns(node.input(0), context);
        Value given = context.optional(node, 2);
        long begin = given == null ? 0 : context.integer(given);
        long first = Math.max(0, Math.min(columns, begin < 0 ? begin + columns : begin));
        return of(node.input(0), Math.toIntExact(first + place * context.integer(node.input(4))), context, depth - 1);
    }

    /** The same elements at other places, but for those whose last dimension is kept. */
    private static Bounds view(Node node, int place, LoweringContext context, int depth) {
        boolean rows = (node.is("aten::view") || node.is("aten::reshape"))
                && columns(node.input(0), context) == columns(node.output(), context);
        return of(node.input(0), rows ? place : ALL, context, depth - 1);
    }

    private Bounds limited(double low, double high) {
        return known(Math.min(high, Math.max(low, least)), Math.min(high, Math.max(low, greatest)));
    }

    /** Where infinities meet, nothing is known. */
    private static Bounds known(double least, double greatest) {
        return Double.isNaN(least) || Double.isNaN(greatest) ? ANY : new Bounds(least, greatest);
    }

    private Bounds with(Bounds other) {
        return other == null ? this : known(Math.min(least, other.least), Math.max(greatest, other.greatest));
    }
}
