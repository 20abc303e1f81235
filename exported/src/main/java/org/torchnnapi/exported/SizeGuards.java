package org.torchnnapi.exported;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import org.torchnnapi.torchscript.DeclaredInputs;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.Value;

/**
 * What PyTorch checks of arguments before a program runs, as nodes that raise an error: numbers of dimensions, fixed
 * sizes, sizes that are a symbol or an expression of symbols, ranges, and the guards that the program lists. What
 * cannot be read of these is passed over.
 */
final class SizeGuards {
    /** The operators of Python and PyTorch's functions, as functions of Python on symbols. */
    private static final Map<String, String> FUNCTIONS = Map.ofEntries(
            Map.entry("+", "_operator.add"),
            Map.entry("-", "_operator.sub"),
            Map.entry("*", "_operator.mul"),
            Map.entry("//", "_operator.floordiv"),
            Map.entry("%", "_operator.mod"),
            Map.entry("==", "_operator.eq"),
            Map.entry("!=", "_operator.ne"),
            Map.entry("<", "_operator.lt"),
            Map.entry("<=", "_operator.le"),
            Map.entry(">", "_operator.gt"),
            Map.entry(">=", "_operator.ge"),
            Map.entry("Add", "_operator.add"),
            Map.entry("Mul", "_operator.mul"),
            Map.entry("FloorDiv", "_operator.floordiv"),
            Map.entry("Mod", "_operator.mod"),
            Map.entry("PythonMod", "_operator.mod"),
            Map.entry("Max", "torch.sym_max"),
            Map.entry("Min", "torch.sym_min"),
            Map.entry("sym_max", "torch.sym_max"),
            Map.entry("sym_min", "torch.sym_min"));

    /** A tensor among the arguments. */
    private record Tensor(String name, Value value, Json meta) {}

    /** A size that is an expression of symbols. */
    private record Open(Tensor tensor, int dimension, Expression expression) {}

    private final GraphEmitter emitter;
    private final Map<String, Value> symbols = new LinkedHashMap<>();
    private final Map<String, Value> sizes = new HashMap<>();
    private final List<Open> open = new ArrayList<>();
    /** Arguments by what guards call them: {@code L['x'][0]}. */
    private final Map<String, Tensor> arguments = new HashMap<>();

    SizeGuards(GraphEmitter emitter) {
        this.emitter = emitter;
    }

    /**
     * Adds the checks of one tensor.
     *
     * @param name for error messages
     * @param guardName what guards call it
     */
    void tensor(String name, String guardName, Value value, Json meta) {
        Tensor tensor = new Tensor(name, value, meta);
        arguments.put(guardName, tensor);
        List<Json> dimensions = meta.get("sizes").items();
        Value rank = emitter.rank(value);
        emitter.raiseIf(
                emitter.differ(rank, dimensions.size()),
                name + ": {} dimensions (expected: " + dimensions.size() + ")",
                rank);
        for (int i = 0; i < dimensions.size(); i++) {
            Json.Tagged size = dimensions.get(i).union();
            if (size.tag().equals("as_int")) {
                Value actual = size(tensor, i);
                long wanted = size.value().integer();
                emitter.raiseIf(
                        emitter.differ(actual, wanted),
                        name + ": size {} in dimension " + i + " (expected: " + wanted + ", as in the example)",
                        actual);
            } else {
                Expression expression =
                        Expression.parse(size.value().get("expr_str").text());
                String symbol = symbol(expression);
                if (symbol != null && !symbols.containsKey(symbol)) {
                    symbols.put(symbol, size(tensor, i));
                } else if (expression != null) {
                    open.add(new Open(tensor, i, expression));
                }
            }
        }
    }

    /** A number among the arguments whose name is that of a symbol's expression, if it has one. */
    void number(Json hint, Value value) {
        if (!hint.isNull() && hint.has("as_expr")) {
            String symbol =
                    symbol(Expression.parse(hint.get("as_expr").get("expr_str").text()));
            if (symbol != null) {
                symbols.putIfAbsent(symbol, value);
            }
        }
    }

    /** Adds the checks that are of several arguments. */
    void finish(Json ranges, Json guards) {
        solve();
        for (Open size : open) {
            Value wanted = value(size.expression());
            if (wanted != null && wanted.type() == Type.Basic.INT) {
                Value actual = size(size.tensor(), size.dimension());
                emitter.raiseIf(
                        emitter.differ(actual, wanted),
                        size.tensor().name() + ": size {} in dimension " + size.dimension()
                                + " (expected: {}, which follows from the other sizes)",
                        actual,
                        wanted);
            }
        }
        ranges.fields().forEach(this::range);
        for (Json guard : guards.items()) {
            Expression expression = Expression.parse(guard.text());
            Value holds = expression == null ? null : value(expression);
            if (holds != null && holds.type() == Type.Basic.BOOL) {
                emitter.raiseIf(
                        emitter.not(holds),
                        "sizes of the arguments: others than the program is for (expected: " + told(guard.text())
                                + ")");
            }
        }
    }

    /** Braces would be taken for places of values. */
    private static String told(String text) {
        return text.replace('{', '(').replace('}', ')');
    }

    private void range(String text, Json range) {
        Expression expression = Expression.parse(text);
        Value actual = expression == null ? null : value(expression);
        if (actual == null || actual.type() != Type.Basic.INT) {
            return;
        }
        bound(text, actual, range.get("min_val"), emitter::isLess, "at least ");
        bound(text, actual, range.get("max_val"), emitter::isGreater, "at most ");
    }

    private void bound(String text, Value actual, Json limit, BiFunction<Object, Object, Value> outside, String told) {
        if (limit.isInteger()) {
            emitter.raiseIf(
                    outside.apply(actual, limit.integer()),
                    "size " + told(text) + " of the arguments: {} (expected: " + told + limit.integer() + ")",
                    actual);
        }
    }

    /** Finds symbols that no size is, but a multiple and a sum of. */
    private void solve() {
        boolean found = true;
        while (found) {
            found = false;
            for (Iterator<Open> sizesLeft = open.iterator(); sizesLeft.hasNext(); ) {
                Open size = sizesLeft.next();
                Linear linear = linear(size.expression());
                if (linear != null && linear.factor() > 0 && !symbols.containsKey(linear.symbol())) {
                    Value moved = emitter.minus(size(size.tensor(), size.dimension()), linear.sum());
                    Value factor = emitter.integer(linear.factor());
                    Value rest = emitter.remainder(moved, factor);
                    emitter.raiseIf(
                            emitter.differ(rest, 0),
                            size.tensor().name() + ": size {} in dimension " + size.dimension() + " (expected: "
                                    + linear.factor() + " times a whole number"
                                    + (linear.sum() == 0 ? "" : ", and " + linear.sum()) + ")",
                            size(size.tensor(), size.dimension()));
                    symbols.put(linear.symbol(), emitter.quotient(moved, factor));
                    sizesLeft.remove();
                    found = true;
                }
            }
        }
    }

    /** A multiple of a symbol, and a number added. */
    private record Linear(String symbol, long factor, long sum) {}

    /**
     * What a size that is an expression of symbols is; a symbol of its own where it is no multiple of one and a sum.
     */
    static DeclaredInputs.OpenSize open(String text) {
        Expression expression = Expression.parse(text);
        Linear linear = expression == null ? null : linear(expression);
        return linear == null || linear.factor() < 1
                ? new DeclaredInputs.OpenSize(text, 1, 0)
                : new DeclaredInputs.OpenSize(linear.symbol(), linear.factor(), linear.sum());
    }

    private static Linear linear(Expression expression) {
        String symbol = symbol(expression);
        if (symbol != null) {
            return new Linear(symbol, 1, 0);
        }
        if (expression instanceof Expression.Call call
                && call.callee() instanceof Expression.Name name
                && call.arguments().size() == 2) {
            for (int i = 0; i < 2; i++) {
                Linear inner = linear(call.arguments().get(i));
                Long number = constant(call.arguments().get(1 - i));
                if (inner != null && number != null && Math.abs(number) < 1L << 31 && inner.factor() < 1L << 31) {
                    if (name.name().equals("Mul")) {
                        return new Linear(inner.symbol(), inner.factor() * number, inner.sum() * number);
                    }
                    if (name.name().equals("Add")) {
                        return new Linear(inner.symbol(), inner.factor(), inner.sum() + number);
                    }
                }
            }
        }
        return null;
    }

    private static Long constant(Expression expression) {
        if (expression instanceof Expression.Call call
                && call.callee() instanceof Expression.Name name
                && name.name().equals("Integer")
                && call.arguments().size() == 1) {
            return constant(call.arguments().get(0));
        }
        if (expression instanceof Expression.Binary binary && binary.operator().equals("-")) {
            Long left = constant(binary.left());
            Long right = constant(binary.right());
            return left == null || right == null ? null : (Long) (left - right);
        }
        return expression instanceof Expression.Number number ? number.value() : null;
    }

    private static String symbol(Expression expression) {
        return expression instanceof Expression.Call call
                        && call.callee() instanceof Expression.Name name
                        && name.name().equals("Symbol")
                        && !call.arguments().isEmpty()
                        && call.arguments().get(0) instanceof Expression.Text text
                ? text.value()
                : null;
    }

    private Value size(Tensor tensor, int dimension) {
        String key = tensor.name() + "/" + dimension;
        Value known = sizes.get(key);
        if (known == null) {
            known = emitter.size(tensor.value(), dimension);
            sizes.put(key, known);
        }
        return known;
    }

    /** Nodes that compute an expression; null for one that is not known here. */
    private Value value(Expression expression) {
        Long number = constant(expression);
        if (number != null) {
            return emitter.integer(number);
        }
        String symbol = symbol(expression);
        if (symbol != null) {
            return symbols.get(symbol);
        }
        if (expression instanceof Expression.Name name) {
            return symbols.get(name.name());
        }
        if (expression instanceof Expression.Binary binary) {
            if (binary.operator().equals("**") && Long.valueOf(2).equals(constant(binary.right()))) {
                Value base = value(binary.left());
                return base == null
                        ? null
                        : emitter.callOrNull(SymbolicArithmetic.kind(FUNCTIONS.get("*")), null, base, base);
            }
            return combined(
                    SymbolicArithmetic.kind(FUNCTIONS.get(binary.operator())), List.of(binary.left(), binary.right()));
        }
        if (expression instanceof Expression.Item item
                && item.index() instanceof Expression.Number index
                && item.value() instanceof Expression.Call call
                && call.callee() instanceof Expression.Member member
                && member.name().equals("size")) {
            Tensor tensor = arguments.get(path(member.value()));
            return tensor == null
                            || index.value()
                                    >= tensor.meta().get("sizes").items().size()
                    ? null
                    : size(tensor, (int) index.value());
        }
        if (expression instanceof Expression.Call call) {
            String name = call.callee() instanceof Expression.Name plain
                    ? plain.name()
                    : call.callee() instanceof Expression.Member member ? member.name() : "";
            return combined(SymbolicArithmetic.kind(FUNCTIONS.get(name)), call.arguments());
        }
        return null;
    }

    private Value combined(String kind, List<Expression> parts) {
        if (kind == null || parts.isEmpty()) {
            return null;
        }
        Value sum = value(parts.get(0));
        for (int i = 1; i < parts.size() && sum != null; i++) {
            Value next = value(parts.get(i));
            sum = next == null ? null : emitter.callOrNull(kind, null, sum, next);
        }
        return sum;
    }

    /** What {@code L['x'][0]} is called here. */
    private static String path(Expression expression) {
        if (expression instanceof Expression.Item item) {
            String key = item.index() instanceof Expression.Text text
                    ? text.value()
                    : item.index() instanceof Expression.Number number ? String.valueOf(number.value()) : "?";
            return path(item.value()) + "[" + key + "]";
        }
        return expression instanceof Expression.Name name ? name.name() : "?";
    }
}
