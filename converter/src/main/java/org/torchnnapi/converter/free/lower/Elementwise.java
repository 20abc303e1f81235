package org.torchnnapi.converter.free.lower;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.BinaryOperator;
import java.util.function.UnaryOperator;
import org.torchnnapi.converter.free.specialise.TensorFacts;
import org.torchnnapi.converter.lower.Refused;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Shape;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.Value;

/** Arithmetic, powers and comparisons of two operands that broadcast, and functions of one. */
final class Elementwise implements NodeFamily {
    private static final int MAX_SHIFT = 30;

    @Override
    public void register(Map<String, NodeLowering> table) {
        table.put("aten::add", (node, scope) -> scaled(node, scope, OperationType.ADD, false));
        table.put("aten::sub", (node, scope) -> scaled(node, scope, OperationType.SUB, false));
        table.put("aten::rsub", (node, scope) -> scaled(node, scope, OperationType.SUB, true));
        table.put("aten::mul", (node, scope) -> arithmetic(node, scope, (a, b) -> scope.net().mul(a, b)));
        table.put("aten::div", Elementwise::divide);
        table.put("aten::true_divide", Elementwise::divide);
        table.put("aten::maximum", (node, scope) -> arithmetic(node, scope, (a, b) -> scope.net().binary(OperationType.MAXIMUM, a, b)));
        table.put("aten::minimum", (node, scope) -> arithmetic(node, scope, (a, b) -> scope.net().binary(OperationType.MINIMUM, a, b)));
        table.put("aten::pow", Elementwise::power);
        table.put("aten::where", Elementwise::where);
        table.put("aten::masked_fill", Elementwise::maskedFill);
        comparison(table, "aten::eq", OperationType.EQUAL);
        comparison(table, "aten::ne", OperationType.NOT_EQUAL);
        comparison(table, "aten::lt", OperationType.LESS);
        comparison(table, "aten::le", OperationType.LESS_EQUAL);
        comparison(table, "aten::gt", OperationType.GREATER);
        comparison(table, "aten::ge", OperationType.GREATER_EQUAL);
        truth(table, "aten::logical_and", OperationType.LOGICAL_AND);
        truth(table, "aten::logical_or", OperationType.LOGICAL_OR);
        truth(table, "aten::logical_xor", OperationType.NOT_EQUAL);
        bitwise(table, "aten::__and__", OperationType.LOGICAL_AND, Bits.Joint.AND);
        bitwise(table, "aten::__or__", OperationType.LOGICAL_OR, Bits.Joint.OR);
        bitwise(table, "aten::bitwise_and", OperationType.LOGICAL_AND, Bits.Joint.AND);
        bitwise(table, "aten::__xor__", OperationType.NOT_EQUAL, Bits.Joint.XOR);
        bitwise(table, "aten::bitwise_xor", OperationType.NOT_EQUAL, Bits.Joint.XOR);
        bitwise(table, "aten::bitwise_or", OperationType.LOGICAL_OR, Bits.Joint.OR);
        table.put("aten::logical_not", (node, scope) -> each(node, scope,
            x -> scope.net().unary(OperationType.LOGICAL_NOT, scope.net().cast(x, OperandType.TENSOR_BOOL8))));
        table.put("aten::bitwise_not", Elementwise::not);
        for (String kind : new String[] {"aten::__lshift__", "aten::bitwise_left_shift"}) {
            table.put(kind, (node, scope) -> shift(node, scope, true));
        }
        for (String kind : new String[] {"aten::__rshift__", "aten::bitwise_right_shift"}) {
            table.put(kind, (node, scope) -> shift(node, scope, false));
        }
        function(table, "aten::exp", OperationType.EXP);
        function(table, "aten::log", OperationType.LOG);
        function(table, "aten::sqrt", OperationType.SQRT);
        function(table, "aten::rsqrt", OperationType.RSQRT);
        function(table, "aten::sin", OperationType.SIN);
        function(table, "aten::floor", OperationType.FLOOR);
        number(table, "aten::abs", OperationType.ABS);
        number(table, "aten::neg", OperationType.NEG);
        table.put("aten::absolute", table.get("aten::abs"));
        table.put("aten::negative", table.get("aten::neg"));
        table.put("aten::log1p", (node, scope) -> apply(node, scope, x -> scope.net().unary(OperationType.LOG, scope.net().add(x, 1))));
        table.put("aten::expm1", (node, scope) -> apply(node, scope, x -> scope.net().add(scope.net().unary(OperationType.EXP, x), -1)));
        table.put("aten::log2", (node, scope) -> apply(node, scope, x -> scope.net().mul(scope.net().unary(OperationType.LOG, x), 1 / Math.log(2))));
        table.put("aten::log10", (node, scope) -> apply(node, scope, x -> scope.net().mul(scope.net().unary(OperationType.LOG, x), 1 / Math.log(10))));
        table.put("aten::isnan", (node, scope) -> tested(node, scope, x -> scope.net().test(OperationType.NOT_EQUAL, x, x)));
        table.put("aten::isinf", (node, scope) -> tested(node, scope,
            x -> scope.net().test(OperationType.EQUAL, scope.net().unary(OperationType.ABS, x), scope.net().number(Double.POSITIVE_INFINITY))));
        table.put("aten::isfinite", (node, scope) -> tested(node, scope,
            x -> scope.net().test(OperationType.LESS, scope.net().unary(OperationType.ABS, x), scope.net().number(Double.POSITIVE_INFINITY))));
        table.put("aten::ceil", (node, scope) -> apply(node, scope,
            x -> scope.net().unary(OperationType.NEG, scope.net().unary(OperationType.FLOOR, scope.net().unary(OperationType.NEG, x)))));
        table.put("aten::remainder", Elementwise::remainder);
        table.put("aten::fmod", (node, scope) -> arithmetic(node, scope, (a, b) -> left(scope.net(), a, b, towardsZero(scope.net(), a, b))));
        table.put("aten::floor_divide", (node, scope) -> rounded(node, scope));
        table.put("aten::square", (node, scope) -> apply(node, scope, x -> scope.net().mul(x, x)));
        table.put("aten::reciprocal", (node, scope) -> apply(node, scope, x -> scope.net().div(scope.net().number(1), x)));
        table.put("aten::cos", (node, scope) -> apply(node, scope, x -> scope.net().unary(OperationType.SIN, scope.net().add(x, Math.PI / 2))));
    }

    private static void function(Map<String, NodeLowering> table, String kind, OperationType type) {
        table.put(kind, (node, scope) -> apply(node, scope, x -> scope.net().unary(type, x)));
    }

    /** A function of whole numbers as well. */
    private static void number(Map<String, NodeLowering> table, String kind, OperationType type) {
        table.put(kind, (node, scope) -> {
            if (!OperandTypes.isWhole(scope.facts(node.input(0)).dtype())) {
                scope.requireFloat(node.input(0));
            }
            each(node, scope, x -> scope.net().unary(type, x));
        });
    }

    private static void comparison(Map<String, NodeLowering> table, String kind, OperationType type) {
        table.put(kind, (node, scope) -> binary(node, scope, common(scope, node.input(0), node.input(1)), (a, b) -> scope.net().test(type, a, b)));
    }

    /** Of numbers as well, which are true where they are not 0. */
    private static void truth(Map<String, NodeLowering> table, String kind, OperationType type) {
        table.put(kind, (node, scope) -> binary(node, scope, OperandType.TENSOR_BOOL8, (a, b) -> scope.net().test(type, a, b)));
    }

    /** A logical operation on truth values, which whole numbers are given bit by bit. */
    private static void bitwise(Map<String, NodeLowering> table, String kind, OperationType type, Bits.Joint joint) {
        table.put(kind, (node, scope) -> {
            DType dtype = scope.facts(node.output()).dtype();
            if (dtype == DType.BOOL) {
                binary(node, scope, OperandType.TENSOR_BOOL8, (a, b) -> scope.net().test(type, a, b));
                return;
            }
            requireWhole(scope, node.output());
            Value mask = isNumber(scope, node.input(1)) || scope.isConstant(node.input(1)) && scope.tensor(node.input(1)).numel() == 1 ? node.input(1) : null;
            long known = mask == null ? -1 : (long) scope.number(mask);
            arithmetic(node, scope, (a, b) -> known >= 0 ? Bits.masked(scope.net(), joint, a, known) : Bits.joined(scope.net(), joint, a, b, dtype));
        });
    }

    private static void requireWhole(Scope scope, Value value) {
        if (OperandTypes.of(scope.facts(value).dtype()) != OperandType.TENSOR_INT32) {
            throw new Refused("bits are those of truth values and whole numbers", scope.facts(value).toString(), "bool or a dtype of whole numbers", "");
        }
    }

    private static void not(Node node, Scope scope) {
        DType dtype = scope.facts(node.input(0)).dtype();
        if (dtype == DType.BOOL) {
            each(node, scope, x -> scope.net().unary(OperationType.LOGICAL_NOT, x));
            return;
        }
        requireWhole(scope, node.input(0));
        each(node, scope, x -> WholeNumbers.wrapped(scope.net(), scope.net().sub(scope.net().indices(-1), x), dtype));
    }

    /** Shifts by a number of bits are products and quotients that are rounded down. */
    private static void shift(Node node, Scope scope, boolean left) {
        double bits = scope.number(node.input(1));
        requireWhole(scope, node.output());
        if (!(bits >= 0 && bits <= MAX_SHIFT)) {
            throw new Refused("numbers of 32 bits are shifted", "by " + bits, "by 0 to " + MAX_SHIFT + " bits", "");
        }
        DType dtype = scope.facts(node.output()).dtype();
        NetBuilder net = scope.net();
        Term factor = net.indices(1 << (int) bits);
        each(node, scope, x -> WholeNumbers.wrapped(net, left ? net.mul(x, factor) : net.div(x, factor), dtype));
    }

    /** A function of each element of a float tensor, in the order in which it was computed. */
    static void apply(Node node, Scope scope, UnaryOperator<Term> function) {
        scope.requireFloat(node.input(0));
        scope.requireFloat(node.output());
        each(node, scope, function);
    }

    static void each(Node node, Scope scope, UnaryOperator<Term> function) {
        Value in = node.input(0);
        int[] order = scope.order(in);
        scope.define(node.output(), function.apply(scope.in(in, order)), order);
    }

    private static void scaled(Node node, Scope scope, OperationType type, boolean reversed) {
        double alpha = node.inputs().size() > 2 ? scope.number(node.input(2)) : 1;
        arithmetic(node, scope, (a, b) -> {
            Term left = reversed ? b : a;
            Term right = reversed ? a : b;
            Term factored = alpha == 1 ? right : scope.net().mul(right, alpha);
            return scope.net().arithmetic(type, left, factored);
        });
    }

    private static void divide(Node node, Scope scope) {
        if (node.inputs().size() > 2 && !scope.isNone(node.input(2))) {
            if (scope.text(node.input(2)).equals("trunc")) {
                arithmetic(node, scope, (a, b) -> towardsZero(scope.net(), a, b));
            } else {
                rounded(node, scope);
            }
            return;
        }
        arithmetic(node, scope, (a, b) -> scope.net().div(a, b));
    }

    /** Quotients rounded down, as DIV has them for whole numbers. */
    private static Term quotient(NetBuilder net, Term a, Term b) {
        Term made = net.div(a, b);
        return a.type() == OperandType.TENSOR_INT32 ? made : net.unary(OperationType.FLOOR, made);
    }

    /** Quotients rounded towards 0. */
    private static Term towardsZero(NetBuilder net, Term a, Term b) {
        if (a.type() != OperandType.TENSOR_INT32) {
            return Compositions.truncated(net, net.div(a, b));
        }
        Term down = net.div(a, b);
        // Where something is left of a negative quotient it was rounded away from 0.
        Term left = net.test(OperationType.NOT_EQUAL, net.sub(a, net.mul(down, b)), net.indices(0));
        Term away = net.test(OperationType.LOGICAL_AND, net.test(OperationType.LESS, down, net.indices(0)), left);
        return net.arithmetic(OperationType.ADD, down, net.cast(away, OperandType.TENSOR_INT32));
    }

    /** What is left of {@code a} by whole quotients. */
    private static Term left(NetBuilder net, Term a, Term b, Term quotient) {
        return net.sub(a, net.mul(quotient, b));
    }

    private static void rounded(Node node, Scope scope) {
        arithmetic(node, scope, (a, b) -> quotient(scope.net(), a, b));
    }

    private static void remainder(Node node, Scope scope) {
        arithmetic(node, scope, (a, b) -> left(scope.net(), a, b, quotient(scope.net(), a, b)));
    }

    /** A question about each element of a float tensor. */
    private static void tested(Node node, Scope scope, UnaryOperator<Term> question) {
        scope.requireFloat(node.input(0));
        each(node, scope, question);
    }

    /** Squares and roots without POW, which is inexact on some devices. */
    private static void power(Node node, Scope scope) {
        NetBuilder net = scope.net();
        if (!scope.isConstant(node.input(1)) || scope.constant(node.input(1)) instanceof Tensor tensor && tensor.numel() != 1) {
            arithmetic(node, scope, (a, b) -> net.binary(OperationType.POW, a, b));
            return;
        }
        double exponent = scope.number(node.input(1));
        if (OperandTypes.isWhole(scope.facts(node.output()).dtype()) && (exponent == 2 || exponent == 3)) {
            each(node, scope, x -> exponent == 2 ? net.mul(x, x) : net.mul(net.mul(x, x), x));
            return;
        }
        apply(node, scope, x -> exponent == 1 ? net.mul(x, 1) : exponent == 2 ? net.mul(x, x) : exponent == 3 ? net.mul(net.mul(x, x), x)
            : exponent == 0.5 ? net.unary(OperationType.SQRT, x) : exponent == -0.5 ? net.unary(OperationType.RSQRT, x)
            : exponent == -1 ? net.div(net.number(1), x) : net.binary(OperationType.POW, x, net.number(exponent)));
    }

    static void arithmetic(Node node, Scope scope, BinaryOperator<Term> operation) {
        DType dtype = scope.facts(node.output()).dtype();
        OperandType type = OperandTypes.of(dtype);
        if (type != OperandType.TENSOR_FLOAT32 && type != OperandType.TENSOR_INT32) {
            throw new Refused("arithmetic takes numbers", scope.facts(node.output()).toString(), "real or whole numbers", "");
        }
        binary(node, scope, type, (a, b) -> WholeNumbers.wrapped(scope.net(), operation.apply(a, b), dtype));
    }

    private static OperandType common(Scope scope, Value a, Value b) {
        boolean real = isReal(scope, a) || isReal(scope, b);
        if (!real && type(scope, a) == OperandType.TENSOR_BOOL8 && type(scope, b) == OperandType.TENSOR_BOOL8) {
            return OperandType.TENSOR_BOOL8;
        }
        return real ? OperandType.TENSOR_FLOAT32 : OperandType.TENSOR_INT32;
    }

    /** Quantized numbers stand for real ones. */
    private static boolean isReal(Scope scope, Value value) {
        if (isNumber(scope, value)) {
            return scope.constant(value) instanceof Double;
        }
        OperandType type = type(scope, value);
        return type == OperandType.TENSOR_FLOAT32 || type == OperandType.TENSOR_QUANT8_ASYMM;
    }

    private static Term as(NetBuilder net, Term term, OperandType type) {
        return term.isQuantized() && type == OperandType.TENSOR_FLOAT32 ? net.dequantize(term) : net.cast(term, type);
    }

    private static OperandType type(Scope scope, Value value) {
        return isNumber(scope, value) ? OperandType.TENSOR_INT32 : OperandTypes.of(scope.facts(value).dtype());
    }

    private static boolean isNumber(Scope scope, Value value) {
        return value.type() != Type.Basic.TENSOR || scope.isConstant(value) && !(scope.constant(value) instanceof Tensor);
    }

    /** Brings inputs 0 and 1 to one type, order and rank. */
    private static void binary(Node node, Scope scope, OperandType type, BinaryOperator<Term> operation) {
        Value a = node.input(0);
        Value b = node.input(1);
        Value out = node.output();
        int[] order = commonOrder(scope, a, b, out);
        if (order == null && !isNumber(scope, a) && !isNumber(scope, b) && !scope.isConstant(a) && !scope.isConstant(b) && scope.keepsShape(a, b)) {
            int[] many = scope.order(a);
            Term left = as(scope.net(), scope.in(a, many), type);
            Term right = as(scope.net(), scope.net().reshape(scope.in(b, many), left.dims()), type);
            scope.define(out, operation.apply(left, right), many);
            return;
        }
        if (order == null) {
            folded(node, scope, type, operation);
            return;
        }
        Term made = operation.apply(operand(scope, a, order, type), operand(scope, b, order, type));
        int[] dims = new int[order.length];
        for (int i = 0; i < dims.length; i++) {
            dims[i] = scope.facts(out).size(order[i]);
        }
        // Two operands of one element lose their rank.
        Term shaped = Arrays.equals(made.dims(), Scope.boxed(dims)) ? made : scope.net().reshape(made, Scope.boxed(dims));
        scope.define(out, shaped, order);
    }

    /** The order of the operand with most elements; null if there are too many dimensions. */
    private static int[] commonOrder(Scope scope, Value a, Value b, Value out) {
        int rank = scope.facts(out).rank();
        if (rank > NetBuilder.MAX_RANK) {
            return null;
        }
        Value leading = null;
        for (Value value : List.of(a, b)) {
            if (!isNumber(scope, value) && !scope.isConstant(value) && scope.facts(value).rank() == rank
                && (leading == null || scope.facts(value).count() > scope.facts(leading).count())) {
                leading = value;
            }
        }
        return leading == null ? Scope.identity(rank) : scope.order(leading);
    }

    static Term operand(Scope scope, Value value, int[] order, OperandType type) {
        if (isNumber(scope, value)) {
            return number(scope, value, type);
        }
        TensorFacts known = scope.facts(value);
        if (known.rank() == 0) {
            return as(scope.net(), constantOr(scope, value, type), type);
        }
        int missing = order.length - known.rank();
        if (missing == 0) {
            Tensor constant = scope.isConstant(value) ? scope.tensor(value) : null;
            boolean other = constant != null && typed(constant, type) != constant;
            return as(scope.net(), other ? scope.net().constant(typed(constant, type), order) : scope.in(value, order), type);
        }
        // Dimensions of 1 in front, as broadcasting has them.
        int[] dims = new int[order.length];
        Arrays.fill(dims, 1);
        System.arraycopy(known.shape(), 0, dims, missing, known.rank());
        Term longer = known.count() == 1 ? scope.plain(value) : null;
        if (longer != null) {
            return as(scope.net(), scope.net().reshape(longer, 1), type);
        }
        if (scope.isConstant(value)) {
            return as(scope.net(), scope.net().constant(expanded(typed(scope.tensor(value), type), dims), order), type);
        }
        return as(scope.net(), scope.net().transpose(scope.net().reshape(scope.in(value, Scope.identity(known.rank())), dims), order), type);
    }

    /** Whole numbers that are reckoned with as real ones, which may be larger than NNAPI's whole ones. */
    private static Tensor typed(Tensor constant, OperandType type) {
        return type == OperandType.TENSOR_FLOAT32 && constant.dtype() == DType.INT64 ? Tensor.of(constant.toFloatArray(), constant.sizes()) : constant;
    }

    private static Tensor expanded(Tensor tensor, int[] dims) {
        Tensor dense = tensor.contiguous();
        return dense.asStrided(dims, Shape.contiguousStrides(dims), dense.offset());
    }

    private static Term constantOr(Scope scope, Value value, OperandType type) {
        return scope.isConstant(value) ? number(scope, value, type) : scope.plain(value);
    }

    static Term number(Scope scope, Value value, OperandType type) {
        double number = scope.number(value);
        if (type == OperandType.TENSOR_FLOAT32) {
            return scope.net().number(number);
        }
        if (type == OperandType.TENSOR_INT32 && number == Math.rint(number) && Math.abs(number) <= Integer.MAX_VALUE) {
            return scope.net().indices((int) number);
        }
        if (type == OperandType.TENSOR_BOOL8) {
            return scope.net().truth(number != 0);
        }
        throw new Refused("numbers must fit their tensor's type", String.valueOf(number), type.name(), "");
    }

    /** Tensors of more than four dimensions: neighbouring dimensions that broadcast alike are made one. */
    private static void folded(Node node, Scope scope, OperandType type, BinaryOperator<Term> operation) {
        NetBuilder net = scope.net();
        Value a = node.input(0);
        Value b = node.input(1);
        int[] out = scope.facts(node.output()).shape();
        int[] left = isNumber(scope, a) ? new int[0] : scope.facts(a).shape();
        int[] right = isNumber(scope, b) ? new int[0] : scope.facts(b).shape();
        List<int[]> groups = new ArrayList<>();
        int kind = -1;
        for (int d = 0; d < out.length; d++) {
            int i = size(left, d, out.length);
            int j = size(right, d, out.length);
            if (out[d] == 1) {
                continue;
            }
            int own = i == 1 ? 1 : j == 1 ? 2 : 0;
            if (own == kind) {
                int[] last = groups.get(groups.size() - 1);
                last[0] *= i;
                last[1] *= j;
            } else {
                groups.add(new int[] {i, j});
            }
            kind = own;
        }
        if (groups.size() > NetBuilder.MAX_RANK) {
            throw new Refused("tensors of many dimensions broadcast in few ways", Arrays.toString(left) + " and " + Arrays.toString(right),
                "four groups of dimensions at most", "");
        }
        if (groups.isEmpty()) {
            groups.add(new int[] {1, 1});
        }
        Term x = isNumber(scope, a) ? number(scope, a, type) : net.cast(net.reshape(flat(scope, a), groups.stream().mapToInt(g -> g[0]).toArray()), type);
        Term y = isNumber(scope, b) ? number(scope, b, type) : net.cast(net.reshape(flat(scope, b), groups.stream().mapToInt(g -> g[1]).toArray()), type);
        scope.define(node.output(), operation.apply(x, y));
    }

    /** A constant of any rank as a vector, which NNAPI then reshapes. */
    private static Term flat(Scope scope, Value value) {
        if (!scope.isConstant(value)) {
            return scope.plain(value);
        }
        Tensor constant = scope.tensor(value);
        return scope.net().constant(expanded(constant, new int[] {Math.toIntExact(constant.numel())}));
    }

    private static int size(int[] shape, int dimension, int rank) {
        int at = dimension - rank + shape.length;
        return at < 0 ? 1 : shape[at];
    }

    private static void where(Node node, Scope scope) {
        if (node.inputs().size() != 3) {
            throw new Refused("where chooses between two tensors", node.inputs().size() + " arguments", "a condition and two tensors", "");
        }
        select(node, scope, node.input(0), node.input(1), node.input(2));
    }

    private static void maskedFill(Node node, Scope scope) {
        select(node, scope, node.input(1), node.input(2), node.input(0));
    }

    private static void select(Node node, Scope scope, Value condition, Value yes, Value no) {
        TensorFacts out = scope.facts(node.output());
        NetBuilder net = scope.net();
        OperandType type = OperandTypes.of(out.dtype());
        boolean many = out.rank() > NetBuilder.MAX_RANK;
        int[] dims = many ? new int[] {Math.toIntExact(out.count())} : Scope.boxed(out.shape());
        List<Term> terms = new ArrayList<>();
        for (Value value : List.of(condition, yes, no)) {
            OperandType own = value == condition ? OperandType.TENSOR_BOOL8 : type;
            if (many && !isNumber(scope, value) && scope.facts(value).count() != out.count() && scope.facts(value).count() != 1) {
                throw new Refused("choices among tensors of many dimensions do not broadcast", scope.facts(value).toString(), out.toString(), "");
            }
            Term term = many && !isNumber(scope, value) ? net.cast(net.reshape(flat(scope, value), Math.toIntExact(scope.facts(value).count())), own)
                : operand(scope, value, Scope.identity(out.rank()), own);
            terms.add(full(net, term, dims));
        }
        Term made;
        if (type == OperandType.TENSOR_BOOL8) {
            Term first = net.test(OperationType.LOGICAL_AND, terms.get(0), terms.get(1));
            Term second = net.test(OperationType.LOGICAL_AND, net.unary(OperationType.LOGICAL_NOT, terms.get(0)), terms.get(2));
            made = net.test(OperationType.LOGICAL_OR, first, second);
        } else {
            made = net.select(terms.get(0), terms.get(1), terms.get(2));
        }
        scope.define(node.output(), many ? net.reshape(made, Shapes.folded(out.shape())) : made);
    }

    /** SELECT does not broadcast. */
    static Term full(NetBuilder net, Term term, int... out) {
        if (Arrays.equals(term.dims(), out)) {
            return term;
        }
        int[] dims = new int[out.length];
        Arrays.fill(dims, 1);
        System.arraycopy(term.dims(), 0, dims, dims.length - term.rank(), term.rank());
        int[] multiples = new int[dims.length];
        for (int d = 0; d < dims.length; d++) {
            multiples[d] = out[d] / dims[d];
        }
        return net.tile(net.reshape(term, dims), multiples);
    }
}
