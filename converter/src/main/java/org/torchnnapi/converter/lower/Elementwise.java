package org.torchnnapi.converter.lower;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.BinaryOperator;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.torchnnapi.converter.partial.TensorFacts;
import org.torchnnapi.converter.report.Reason;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Shape;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.tensor.platform.Streams;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.Value;

/** Arithmetic and powers of two operands that broadcast, and functions of one. */
final class Elementwise implements NodeFamily {
    @Override
    public void register(NodeLoweringTable table) {
        table.plan("aten::add", (node, context) -> scaled(node, context, OperationType.ADD, false));
        table.plan("aten::sub", (node, context) -> scaled(node, context, OperationType.SUB, false));
        table.plan("aten::rsub", (node, context) -> scaled(node, context, OperationType.SUB, true));
        table.arithmetic("aten::mul", NnapiBuilder::mul);
        table.plan("aten::div", Elementwise::divide);
        table.arithmetic("aten::maximum", (nnapi, a, b) -> nnapi.binary(OperationType.MAXIMUM, a, b));
        table.arithmetic("aten::minimum", (nnapi, a, b) -> nnapi.binary(OperationType.MINIMUM, a, b));
        table.plan("aten::pow", Elementwise::power);
        table.function("aten::exp", (nnapi, x) -> nnapi.unary(OperationType.EXP, x));
        table.function("aten::log", (nnapi, x) -> nnapi.unary(OperationType.LOG, x));
        table.function("aten::sqrt", (nnapi, x) -> nnapi.unary(OperationType.SQRT, x));
        table.function("aten::rsqrt", (nnapi, x) -> nnapi.unary(OperationType.RSQRT, x));
        table.function("aten::sin", (nnapi, x) -> nnapi.unary(OperationType.SIN, x));
        table.function("aten::floor", (nnapi, x) -> nnapi.unary(OperationType.FLOOR, x));
        number(table, "aten::abs", OperationType.ABS);
        number(table, "aten::neg", OperationType.NEG);
        table.function("aten::log1p", (nnapi, x) -> nnapi.unary(OperationType.LOG, nnapi.add(x, 1)));
        table.function("aten::expm1", (nnapi, x) -> nnapi.add(nnapi.unary(OperationType.EXP, x), -1));
        table.function("aten::log2", (nnapi, x) -> nnapi.mul(nnapi.unary(OperationType.LOG, x), 1 / Math.log(2)));
        table.function("aten::log10", (nnapi, x) -> nnapi.mul(nnapi.unary(OperationType.LOG, x), 1 / Math.log(10)));
        tested(table, "aten::isnan", (nnapi, x) -> nnapi.test(OperationType.NOT_EQUAL, x, x));
        tested(table, "aten::isinf", (nnapi, x) -> besideInfinity(nnapi, OperationType.EQUAL, x));
        tested(table, "aten::isfinite", (nnapi, x) -> besideInfinity(nnapi, OperationType.LESS, x));
        table.function(
                "aten::ceil",
                (nnapi, x) -> nnapi.unary(
                        OperationType.NEG, nnapi.unary(OperationType.FLOOR, nnapi.unary(OperationType.NEG, x))));
        table.plan(
                "aten::remainder",
                (node, context) -> remainder(node, context, (a, b) -> quotient(context.nnapi(), a, b)));
        table.plan(
                "aten::fmod",
                (node, context) -> remainder(node, context, (a, b) -> towardsZero(context.nnapi(), a, b)));
        table.plan("aten::floor_divide", (node, context) -> rounded(node, context));
        table.function("aten::square", (nnapi, x) -> nnapi.mul(x, x));
        table.function("aten::reciprocal", (nnapi, x) -> nnapi.div(nnapi.number(1), x));
        table.function("aten::cos", Trigonometry::cosine);
    }

    /** A function of whole numbers as well. */
    private static void number(NodeLoweringTable table, String kind, OperationType type) {
        table.put(kind, (node, context) -> {
            if (!OperandTypes.isWhole(context.facts(node.input(0)).dtype())) {
                context.requireFloat(node.input(0));
            }
            each(node, context, x -> context.nnapi().unary(type, x));
        });
    }

    /** A function of each element of a float tensor, in the order in which it was computed. */
    static void apply(Node node, LoweringContext context, UnaryOperator<OperandRef> function) {
        context.requireFloat(node.input(0));
        context.requireFloat(node.output());
        each(node, context, function);
    }

    static void each(Node node, LoweringContext context, UnaryOperator<OperandRef> function) {
        Value in = node.input(0);
        int[] order = context.order(in);
        context.define(node.output(), function.apply(context.in(in, order)), order);
    }

    private static LoweringPlan scaled(Node node, LoweringContext context, OperationType type, boolean reversed) {
        double alpha = node.inputs().size() > 2 ? context.number(node.input(2)) : 1;
        if (alpha != (int) alpha && OperandTypes.of(context.facts(node.output()).dtype()) == OperandType.TENSOR_INT32) {
            return LoweringPlan.refused("whole numbers of 32 bits are multiplied by such", "alpha " + alpha, "32 bits");
        }
        return arithmetic(node, context, (a, b) -> {
            OperandRef left = reversed ? b : a;
            OperandRef right = reversed ? a : b;
            OperandRef factored = alpha == 1
                    ? right
                    : right.type() == OperandType.TENSOR_INT32
                            ? context.nnapi().mul(right, context.nnapi().indices((int) alpha))
                            : context.nnapi().mul(right, alpha);
            return context.nnapi().arithmetic(type, left, factored);
        });
    }

    private static LoweringPlan divide(Node node, LoweringContext context) {
        if (node.inputs().size() > 2 && !context.isNone(node.input(2))) {
            return context.text(node.input(2)).equals("trunc")
                    ? arithmetic(node, context, (a, b) -> towardsZero(context.nnapi(), a, b))
                    : rounded(node, context);
        }
        return arithmetic(node, context, (a, b) -> context.nnapi().div(a, b));
    }

    /** Quotients rounded down, as DIV has them for whole numbers. */
    private static OperandRef quotient(NnapiBuilder nnapi, OperandRef a, OperandRef b) {
        OperandRef made = nnapi.div(a, b);
        return a.type() == OperandType.TENSOR_INT32 ? made : nnapi.unary(OperationType.FLOOR, made);
    }

    /** Quotients rounded towards 0. */
    private static OperandRef towardsZero(NnapiBuilder nnapi, OperandRef a, OperandRef b) {
        if (a.type() != OperandType.TENSOR_INT32) {
            return CompositeLowering.truncated(nnapi, nnapi.div(a, b));
        }
        OperandRef down = nnapi.div(a, b);
        // Where something is left of a negative quotient it was rounded away from 0.
        OperandRef left = nnapi.test(OperationType.NOT_EQUAL, nnapi.sub(a, nnapi.mul(down, b)), nnapi.indices(0));
        OperandRef away =
                nnapi.test(OperationType.LOGICAL_AND, nnapi.test(OperationType.LESS, down, nnapi.indices(0)), left);
        return nnapi.arithmetic(OperationType.ADD, down, nnapi.cast(away, OperandType.TENSOR_INT32));
    }

    /** What is left of {@code a} by whole quotients. */
    private static OperandRef left(NnapiBuilder nnapi, OperandRef a, OperandRef b, OperandRef quotient) {
        return nnapi.sub(a, nnapi.mul(quotient, b));
    }

    private static LoweringPlan rounded(Node node, LoweringContext context) {
        return arithmetic(node, context, (a, b) -> quotient(context.nnapi(), a, b));
    }

    private static LoweringPlan remainder(
            Node node, LoweringContext context, BiFunction<OperandRef, OperandRef, OperandRef> quotient) {
        Reason inexact = inexact(node, context);
        if (inexact != null) {
            return LoweringPlan.refused(inexact);
        }
        return arithmetic(node, context, (a, b) -> left(context.nnapi(), a, b, quotient.apply(a, b)));
    }

    /**
     * What is left of a real number by large quotients is lost in the rounding of these and of their products: NNAPI
     * has it of powers of two, with which both are exact.
     */
    private static Reason inexact(Node node, LoweringContext context) {
        if (OperandTypes.isWhole(context.facts(node.output()).dtype())) {
            return null;
        }
        Value divisor = node.input(1);
        boolean one = context.isConstant(divisor)
                && (!(context.constant(divisor) instanceof Tensor tensor) || tensor.numel() == 1);
        double size = one ? Math.abs(context.number(divisor)) : 0;
        if (!(size >= Float.MIN_NORMAL && size < Float.MAX_VALUE) || Math.scalb(1, Math.getExponent(size)) != size) {
            return new Reason(
                    "NNAPI has no remainders of real numbers but by powers of two",
                    one ? String.valueOf(context.number(divisor)) : "a computed divisor",
                    "a power of two");
        }
        return null;
    }

    /** A question about each element of a float tensor. */
    private static void tested(NodeLoweringTable table, String kind, NodeLoweringTable.Function question) {
        table.put(kind, (node, context) -> {
            context.requireFloat(node.input(0));
            each(node, context, x -> question.of(context.nnapi(), x));
        });
    }

    private static OperandRef besideInfinity(NnapiBuilder nnapi, OperationType test, OperandRef x) {
        return nnapi.test(test, nnapi.unary(OperationType.ABS, x), nnapi.number(Double.POSITIVE_INFINITY));
    }

    /** Squares and roots without POW, which is inexact on some devices. */
    private static LoweringPlan power(Node node, LoweringContext context) {
        NnapiBuilder nnapi = context.nnapi();
        if (!context.isConstant(node.input(1))
                || context.constant(node.input(1)) instanceof Tensor tensor && tensor.numel() != 1) {
            context.requireFloat(node.output());
            return arithmetic(node, context, (a, b) -> nnapi.binary(OperationType.POW, a, b));
        }
        double exponent = context.number(node.input(1));
        if (OperandTypes.isWhole(context.facts(node.output()).dtype()) && (exponent == 2 || exponent == 3)) {
            return () -> each(node, context, x -> exponent == 2 ? nnapi.mul(x, x) : nnapi.mul(nnapi.mul(x, x), x));
        }
        return () -> apply(
                node,
                context,
                x -> exponent == 1
                        ? nnapi.mul(x, 1)
                        : exponent == 2
                                ? nnapi.mul(x, x)
                                : exponent == 3
                                        ? nnapi.mul(nnapi.mul(x, x), x)
                                        : exponent == 0.5
                                                ? nnapi.unary(OperationType.SQRT, x)
                                                : exponent == -0.5
                                                        ? nnapi.unary(OperationType.RSQRT, x)
                                                        : exponent == -1
                                                                ? nnapi.div(nnapi.number(1), x)
                                                                : nnapi.binary(
                                                                        OperationType.POW, x, nnapi.number(exponent)));
    }

    static LoweringPlan arithmetic(Node node, LoweringContext context, BinaryOperator<OperandRef> operation) {
        DType dtype = context.facts(node.output()).dtype();
        OperandType type = OperandTypes.of(dtype);
        if (type != OperandType.TENSOR_FLOAT32 && type != OperandType.TENSOR_INT32) {
            return LoweringPlan.refused(
                    "arithmetic takes numbers", context.facts(node.output()).toString(), "real or whole numbers");
        }
        return binary(
                node, context, type, (a, b) -> WholeNumbers.wrapped(context.nnapi(), operation.apply(a, b), dtype));
    }

    static OperandType common(LoweringContext context, Value a, Value b) {
        boolean real = isReal(context, a) || isReal(context, b);
        if (!real && type(context, a) == OperandType.TENSOR_BOOL8 && type(context, b) == OperandType.TENSOR_BOOL8) {
            return OperandType.TENSOR_BOOL8;
        }
        return real ? OperandType.TENSOR_FLOAT32 : OperandType.TENSOR_INT32;
    }

    /** Quantized numbers stand for real ones. */
    private static boolean isReal(LoweringContext context, Value value) {
        if (isNumber(context, value)) {
            return context.constant(value) instanceof Double;
        }
        OperandType type = type(context, value);
        return type == OperandType.TENSOR_FLOAT32 || type == OperandType.TENSOR_QUANT8_ASYMM;
    }

    private static OperandRef as(NnapiBuilder nnapi, OperandRef term, OperandType type) {
        return term.isQuantized() && type == OperandType.TENSOR_FLOAT32
                ? nnapi.dequantize(term)
                : nnapi.cast(term, type);
    }

    private static OperandType type(LoweringContext context, Value value) {
        return isNumber(context, value)
                ? OperandType.TENSOR_INT32
                : OperandTypes.of(context.facts(value).dtype());
    }

    static boolean isNumber(LoweringContext context, Value value) {
        return value.type() != Type.Basic.TENSOR
                || context.isConstant(value) && !(context.constant(value) instanceof Tensor);
    }

    /** Of inputs 0 and 1, brought to one type. */
    static LoweringPlan binary(
            Node node, LoweringContext context, OperandType type, BinaryOperator<OperandRef> operation) {
        return broadcast(
                node,
                context,
                List.of(node.input(0), node.input(1)),
                List.of(type, type),
                terms -> operation.apply(terms.get(0), terms.get(1)));
    }

    /** Brings values that broadcast with each other to one order and rank, and each to a type. */
    static LoweringPlan broadcast(
            Node node,
            LoweringContext context,
            List<Value> values,
            List<OperandType> types,
            Function<List<OperandRef>, OperandRef> operation) {
        for (int i = 0; i < values.size(); i++) {
            Reason unfit = unfit(context, values.get(i), types.get(i));
            if (unfit != null) {
                return LoweringPlan.refused(unfit);
            }
        }
        int rank = context.facts(node.output()).rank();
        Value first = values.get(0);
        if (rank <= NnapiBuilder.MAX_RANK) {
            return () -> {
                int[] order = commonOrder(context, values, rank);
                // Operands of one element lose their rank.
                context.shaped(
                        node.output(),
                        operation.apply(each(values, types, (value, type) -> operand(context, value, order, type))),
                        order);
            };
        }
        boolean alike = values.stream()
                .allMatch(value ->
                        !isNumber(context, value) && !context.isConstant(value) && context.keepsShape(value, first));
        return !alike
                ? folded(node, context, values, types, operation)
                : () -> {
                    int[] many = context.order(first);
                    int[] dims = context.in(first, many).dims();
                    context.define(
                            node.output(),
                            operation.apply(each(
                                    values,
                                    types,
                                    (value, type) -> as(
                                            context.nnapi(),
                                            context.nnapi().reshape(context.in(value, many), dims),
                                            type))),
                            many);
                };
    }

    private static List<OperandRef> each(
            List<Value> values, List<OperandType> types, BiFunction<Value, OperandType, OperandRef> operand) {
        return IntStream.range(0, values.size())
                .mapToObj(i -> operand.apply(values.get(i), types.get(i)))
                .collect(Streams.toList());
    }

    /** The order of the operand with most elements. */
    private static int[] commonOrder(LoweringContext context, List<Value> values, int rank) {
        Value leading = null;
        for (Value value : values) {
            if (!isNumber(context, value)
                    && !context.isConstant(value)
                    && context.facts(value).rank() == rank
                    && (leading == null
                            || context.facts(value).count()
                                    > context.facts(leading).count())) {
                leading = value;
            }
        }
        return leading == null ? LoweringContext.identity(rank) : context.order(leading);
    }

    static OperandRef operand(LoweringContext context, Value value, int[] order, OperandType type) {
        if (isNumber(context, value)) {
            return number(context, value, type);
        }
        TensorFacts known = context.facts(value);
        if (known.rank() == 0) {
            return as(context.nnapi(), constantOr(context, value, type), type);
        }
        int missing = order.length - known.rank();
        if (missing == 0) {
            Tensor constant = context.isConstant(value) ? context.tensor(value) : null;
            boolean other = constant != null && typed(constant, type) != constant;
            return as(
                    context.nnapi(),
                    other ? context.nnapi().constant(typed(constant, type), order) : context.in(value, order),
                    type);
        }
        // Dimensions of 1 in front, as broadcasting has them.
        int[] dims = Shapes.widened(order.length, known.shape());
        OperandRef longer = known.count() == 1 ? context.plain(value) : null;
        if (longer != null) {
            return as(context.nnapi(), context.nnapi().reshape(longer, 1), type);
        }
        if (context.isConstant(value)) {
            return as(
                    context.nnapi(),
                    context.nnapi().constant(expanded(typed(context.tensor(value), type), dims), order),
                    type);
        }
        return as(
                context.nnapi(),
                context.nnapi()
                        .transpose(
                                context.nnapi()
                                        .reshape(context.in(value, LoweringContext.identity(known.rank())), dims),
                                order),
                type);
    }

    /** Whole numbers that are reckoned with as real ones, which may be larger than NNAPI's whole ones. */
    private static Tensor typed(Tensor constant, OperandType type) {
        return type == OperandType.TENSOR_FLOAT32 && constant.dtype() == DType.INT64
                ? Tensor.of(constant.toFloatArray(), constant.sizes())
                : constant;
    }

    private static Tensor expanded(Tensor tensor, int[] dims) {
        Tensor dense = tensor.contiguous();
        return dense.asStrided(dims, Shape.contiguousStrides(dims), dense.offset());
    }

    private static OperandRef constantOr(LoweringContext context, Value value, OperandType type) {
        return context.isConstant(value) ? number(context, value, type) : context.plain(value);
    }

    static OperandRef number(LoweringContext context, Value value, OperandType type) {
        double number = context.number(value);
        return switch (type) {
            case TENSOR_FLOAT32 -> context.nnapi().number(number);
            case TENSOR_BOOL8 -> context.nnapi().truth(number != 0);
            case TENSOR_INT32 -> context.nnapi().indices((int) number);
            default -> throw new IllegalArgumentException(type + " (expected: a type without a scale)");
        };
    }

    /** Why a number, or a constant without dimensions, is none of a tensor's type; null where it is, or no number. */
    static Reason unfit(LoweringContext context, Value value, OperandType type) {
        boolean single = isNumber(context, value)
                || context.isConstant(value) && context.facts(value).rank() == 0;
        if (!single || type == OperandType.TENSOR_FLOAT32 || type == OperandType.TENSOR_BOOL8) {
            return null;
        }
        double number = context.number(value);
        return type == OperandType.TENSOR_INT32 && number == Math.rint(number) && Math.abs(number) <= Integer.MAX_VALUE
                ? null
                : new Reason("numbers must fit their tensor's type", String.valueOf(number), type.name());
    }

    /**
     * Tensors of more than four dimensions: neighbouring dimensions that broadcast alike are made one. Where that
     * leaves more than four, values are repeated to the result's sizes, one after the other, until it does not.
     */
    private static LoweringPlan folded(
            Node node,
            LoweringContext context,
            List<Value> values,
            List<OperandType> types,
            Function<List<OperandRef>, OperandRef> operation) {
        int[] out = context.facts(node.output()).shape();
        List<int[]> given = values.stream()
                .map(value -> Shapes.widened(
                        out.length,
                        isNumber(context, value)
                                ? new int[0]
                                : context.facts(value).shape()))
                .collect(Streams.toList());
        List<int[]> shapes = new ArrayList<>(given);
        for (int i = 0; i < values.size() && groups(out, shapes).size() > NnapiBuilder.MAX_RANK; i++) {
            if (groups(out, List.of(given.get(i))).size() <= NnapiBuilder.MAX_RANK) {
                shapes.set(i, out);
            }
        }
        List<int[]> groups = groups(out, shapes);
        if (groups.size() > NnapiBuilder.MAX_RANK) {
            return LoweringPlan.refused(
                    "tensors of many dimensions broadcast in few ways",
                    given.stream().map(Arrays::toString).collect(Collectors.joining(" and ")),
                    "four groups of dimensions at most");
        }
        return () -> {
            NnapiBuilder nnapi = context.nnapi();
            List<OperandRef> terms = new ArrayList<>();
            for (int i = 0; i < values.size(); i++) {
                Value value = values.get(i);
                if (isNumber(context, value)) {
                    terms.add(number(context, value, types.get(i)));
                    continue;
                }
                OperandRef term = flat(context, value);
                if (shapes.get(i) != given.get(i)) {
                    List<int[]> own = groups(out, List.of(given.get(i), out));
                    term = nnapi.tile(
                            nnapi.reshape(term, side(own, 0)),
                            own.stream().mapToInt(group -> group[1] / group[0]).toArray());
                }
                terms.add(as(nnapi, nnapi.reshape(term, side(groups, i)), types.get(i)));
            }
            context.define(node.output(), operation.apply(terms));
        };
    }

    /**
     * Sizes of all shapes by groups of dimensions, at least one, in each of which the same shapes have no size but 1.
     */
    private static List<int[]> groups(int[] out, List<int[]> shapes) {
        List<int[]> groups = new ArrayList<>();
        List<Boolean> kind = null;
        for (int d = 0; d < out.length; d++) {
            int at = d;
            int[] sizes = shapes.stream().mapToInt(shape -> shape[at]).toArray();
            if (out[d] == 1) {
                continue;
            }
            List<Boolean> own = Arrays.stream(sizes).mapToObj(size -> size == 1).collect(Streams.toList());
            if (own.equals(kind)) {
                Arrays.setAll(groups.get(groups.size() - 1), i -> groups.get(groups.size() - 1)[i] * sizes[i]);
            } else {
                groups.add(sizes);
            }
            kind = own;
        }
        if (groups.isEmpty()) {
            groups.add(Shapes.widened(shapes.size()));
        }
        return groups;
    }

    private static int[] side(List<int[]> groups, int shape) {
        return groups.stream().mapToInt(group -> group[shape]).toArray();
    }

    /** A constant of any rank as a vector, which NNAPI then reshapes. */
    static OperandRef flat(LoweringContext context, Value value) {
        if (!context.isConstant(value)) {
            return context.plain(value);
        }
        Tensor constant = context.tensor(value);
        return context.nnapi().constant(expanded(constant, new int[] {Math.toIntExact(constant.numel())}));
    }
}
