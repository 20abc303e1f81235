package org.torchnnapi.operators.range;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.DoubleUnaryOperator;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.OperatorTrait;
import org.torchnnapi.torchscript.ir.Type;

/** Per operator, between which bounds its result lies, by the bounds of what it takes. */
public final class RangeRules {
    /** Reads what a rule asks of a node. */
    public interface Read {
        /** Of an argument; any where there is none, or None. */
        NumberRange of(Node node, int argument);

        /** Whether there is such an argument, and it is not None. */
        boolean has(Node node, int argument);

        /** How many elements an argument has at most, one or more. */
        double count(Node node, int argument);

        /** The largest size that an argument has at most, one or more. */
        double length(Node node, int argument);

        /** How many elements of the first argument become one of the result at most. */
        double joined(Node node);

        /** Whether a result is of whole numbers. */
        boolean isWhole(Node node);
    }

    /** The range of a node's first result; any where it is not known. */
    interface Rule {
        NumberRange of(Node node, Read read);
    }

    private static final Rule MOVES = (node, read) -> read.of(node, 0);
    private static final Map<String, Rule> TABLE = new HashMap<>();
    /** What moves, picks or repeats elements of its first argument, and is no view of it. */
    private static final String[] MOVED = {
        "clone",
        "contiguous",
        "to",
        "_to_copy",
        "_cast_Long",
        "_cast_Int",
        "_cast_Float",
        "type_as",
        "reshape",
        "flatten",
        "repeat",
        "roll",
        "flip",
        "rot90",
        "index_select",
        "gather",
        "index",
        "masked_select",
        "take",
        "take_along_dim",
        "sort",
        "topk",
        "kthvalue",
        "median",
        "nanmedian",
        "mode",
        "cummax",
        "cummin",
        "amax",
        "amin",
        "embedding",
        "cat",
        "stack",
        "hstack",
        "vstack",
        "dstack",
        "concat",
        "concatenate",
        "column_stack",
        "unbind",
        "mean",
        "max_pool1d",
        "max_pool2d",
        "max_pool2d_with_indices",
        "max_pool3d",
        "adaptive_max_pool2d",
        "pixel_shuffle",
        "pixel_unshuffle",
        "channel_shuffle",
        "upsample_nearest1d",
        "upsample_nearest2d",
        "upsample_nearest3d",
        "meshgrid",
        "broadcast_tensors",
        "unfold",
        "item",
        "Int",
        "Float",
        "Bool",
        "IntImplicit",
        "FloatImplicit",
        "ScalarImplicit",
        "tensor",
        "scalar_tensor",
        "as_tensor",
        "lift_fresh",
        "_unique2",
        "unique_consecutive",
        "cartesian_prod",
        "tile",
        "dequantize",
        "atleast_1d",
        "atleast_2d",
        "atleast_3d",
        "fliplr",
        "flipud",
        "__getitem__"
    };
    /** What moves elements of its first argument, and has 0 elsewhere. */
    private static final String[] WITH_ZEROS = {"tril", "triu", "diag_embed", "diag", "block_diag", "im2col"};
    /** Places in the first argument. */
    private static final String[] PLACES = {
        "argmax", "argmin", "argsort", "argwhere", "nonzero", "nonzero_numpy", "multinomial"
    };
    /** Functions that never fall. */
    private static final Map<String, DoubleUnaryOperator> RISING = Map.ofEntries(
            Map.entry("floor", Math::floor),
            Map.entry("ceil", Math::ceil),
            Map.entry("trunc", x -> x < 0 ? Math.ceil(x) : Math.floor(x)),
            Map.entry("fix", x -> x < 0 ? Math.ceil(x) : Math.floor(x)),
            Map.entry("relu", x -> Math.max(0, x)),
            Map.entry("relu6", x -> Math.min(6, Math.max(0, x))),
            Map.entry("sigmoid", x -> 1 / (1 + Math.exp(-x))),
            Map.entry("hardsigmoid", x -> Math.min(6, Math.max(0, x + 3)) / 6),
            Map.entry("tanh", Math::tanh),
            Map.entry("atan", Math::atan),
            Map.entry("exp", Math::exp),
            Map.entry("sqrt", x -> Math.sqrt(Math.max(0, x))),
            Map.entry("log", x -> x <= 0 ? Double.NEGATIVE_INFINITY : Math.log(x)),
            Map.entry("log2", x -> x <= 0 ? Double.NEGATIVE_INFINITY : Math.log(x) / Math.log(2)),
            Map.entry("log10", x -> x <= 0 ? Double.NEGATIVE_INFINITY : Math.log10(x)),
            Map.entry("log1p", x -> x <= -1 ? Double.NEGATIVE_INFINITY : Math.log1p(x)),
            Map.entry("sign", Math::signum));
    /** How far rounding of real numbers may take a bound. */
    private static final double ROUNDING = 1e-6;

    private RangeRules() {}

    static {
        for (String name : MOVED) {
            put(name, MOVES);
        }
        for (String name : WITH_ZEROS) {
            put(name, (node, read) -> read.of(node, 0).or(NumberRange.of(0)));
        }
        for (String name : PLACES) {
            put(name, RangeRules::places);
        }
        RISING.forEach((name, function) ->
                put(name, (node, read) -> rounded(read.of(node, 0).through(function), node, read)));
        TABLE.put("torchvision::nms", RangeRules::places);
        numbers();
        arithmetic();
        bits();
        choices();
        sums();
    }

    /** Of which operators there are rules. */
    public static Set<String> kinds() {
        return TABLE.keySet();
    }

    private static void put(String name, Rule rule) {
        TABLE.put("aten::" + name, rule);
    }

    private static void numbers() {
        put("zeros", (node, read) -> NumberRange.of(0));
        // Nobody says what is in memory that nobody has written to.
        for (String name : new String[] {"empty", "empty_like", "new_empty"}) {
            put(name, (node, read) -> NumberRange.of(0));
        }
        put("zeros_like", (node, read) -> NumberRange.of(0));
        put("new_zeros", (node, read) -> NumberRange.of(0));
        put("ones", (node, read) -> NumberRange.of(1));
        put("ones_like", (node, read) -> NumberRange.of(1));
        put("new_ones", (node, read) -> NumberRange.of(1));
        put("eye", (node, read) -> NumberRange.TRUTH);
        put("one_hot", (node, read) -> NumberRange.TRUTH);
        put("softmax", (node, read) -> NumberRange.TRUTH);
        put("_softmax", (node, read) -> NumberRange.TRUTH);
        put("rand", (node, read) -> NumberRange.TRUTH);
        put("rand_like", (node, read) -> NumberRange.TRUTH);
        put("sin", (node, read) -> new NumberRange(-1, 1));
        put("cos", (node, read) -> new NumberRange(-1, 1));
        put("full", (node, read) -> read.of(node, 1));
        put("full_like", (node, read) -> read.of(node, 1));
        put("new_full", (node, read) -> read.of(node, 2));
        put("fill", (node, read) -> read.of(node, 1));
        for (String name : new String[] {"size", "len", "dim", "numel", "count_nonzero"}) {
            put(name, (node, read) -> NumberRange.SIZES);
        }
        put("bincount", (node, read) -> read.has(node, 1) ? NumberRange.ANY : NumberRange.SIZES);
        put("bucketize", (node, read) -> new NumberRange(0, read.count(node, 1)));
        put("searchsorted", (node, read) -> new NumberRange(0, read.count(node, 0)));
        put(
                "arange",
                (node, read) -> read.of(node, 0)
                        .or(node.schema().overload().startsWith("start") ? read.of(node, 1) : NumberRange.of(0)));
    }

    private static void arithmetic() {
        put("round", (node, read) -> {
            NumberRange a = read.of(node, 0);
            // To so many decimals it goes up or down by half of the last one.
            double half = read.has(node, 1) ? Math.pow(10, -read.of(node, 1).low()) / 2 : 0;
            return half == 0 ? a.through(Math::rint) : new NumberRange(a.low() - half, a.high() + half);
        });
        put("erf", (node, read) -> {
            NumberRange a = read.of(node, 0);
            return new NumberRange(a.low() < 0 ? -1 : 0, a.high() > 0 ? 1 : 0);
        });
        put("add", (node, read) -> {
            NumberRange b = read.of(node, 1);
            return rounded(read.of(node, 0).plus(alpha(node, read, b)), node, read);
        });
        put("sub", (node, read) -> {
            NumberRange b = read.of(node, 1);
            return rounded(read.of(node, 0).plus(alpha(node, read, b).negated()), node, read);
        });
        put("rsub", (node, read) -> {
            NumberRange a = read.of(node, 0);
            return rounded(read.of(node, 1).plus(alpha(node, read, a).negated()), node, read);
        });
        put("mul", (node, read) -> rounded(read.of(node, 0).times(read.of(node, 1)), node, read));
        put("square", (node, read) -> {
            NumberRange a = read.of(node, 0).magnitude();
            return rounded(a.times(a), node, read);
        });
        put("neg", (node, read) -> read.of(node, 0).negated());
        put("abs", (node, read) -> read.of(node, 0).magnitude());
        put("div", RangeRules::quotient);
        put("floor_divide", RangeRules::quotient);
        put("floordiv", RangeRules::quotient);
        put("remainder", (node, read) -> {
            NumberRange a = read.of(node, 0);
            NumberRange b = read.of(node, 1);
            double end = b.magnitude().high() - (read.isWhole(node) ? 1 : 0);
            if (a.low() >= 0 && b.low() > 0) {
                return new NumberRange(0, Math.max(0, Math.min(a.high(), end)));
            }
            return new NumberRange(b.low() >= 0 ? 0 : -Math.max(0, end), b.high() <= 0 ? 0 : Math.max(0, end));
        });
        put("fmod", (node, read) -> {
            NumberRange a = read.of(node, 0);
            double end = Math.max(0, read.of(node, 1).magnitude().high() - (read.isWhole(node) ? 1 : 0));
            return new NumberRange(
                    a.low() >= 0 ? 0 : -Math.min(end, -a.low()), a.high() <= 0 ? 0 : Math.min(end, a.high()));
        });
        put("pow", (node, read) -> {
            NumberRange a = read.of(node, 0);
            NumberRange b = read.of(node, 1);
            if (b.isSingle() && b.low() >= 0 && b.low() == Math.rint(b.low())) {
                NumberRange base = b.low() % 2 == 0 ? a.magnitude() : a;
                return rounded(base.through(x -> Math.pow(x, b.low())), node, read);
            }
            return a.low() >= 1
                    ? rounded(
                            NumberRange.around(
                                    Math.pow(a.low(), b.low()),
                                    Math.pow(a.low(), b.high()),
                                    Math.pow(a.high(), b.low()),
                                    Math.pow(a.high(), b.high())),
                            node,
                            read)
                    : NumberRange.ANY;
        });
    }

    private static void bits() {
        put("__lshift__", RangeRules::left);
        put("bitwise_left_shift", RangeRules::left);
        put("__rshift__", RangeRules::right);
        put("bitwise_right_shift", RangeRules::right);
        put("bitwise_not", (node, read) -> read.of(node, 0).negated().plus(NumberRange.of(-1)));
        for (String name : new String[] {"bitwise_and", "__and__"}) {
            put(name, (node, read) -> {
                NumberRange a = read.of(node, 0);
                NumberRange b = read.of(node, 1);
                if (a.low() >= 0 || b.low() >= 0) {
                    return new NumberRange(
                            0, a.low() < 0 ? b.high() : b.low() < 0 ? a.high() : Math.min(a.high(), b.high()));
                }
                return bitsOf(a, b);
            });
        }
        for (String name : new String[] {"bitwise_or", "bitwise_xor", "__or__", "__xor__"}) {
            put(name, (node, read) -> bitsOf(read.of(node, 0), read.of(node, 1)));
        }
    }

    private static void choices() {
        // Of repeats alone it gives places.
        put(
                "repeat_interleave",
                (node, read) -> node.schema().overload().equals("Tensor") ? places(node, read) : read.of(node, 0));
        for (String name : new String[] {"dropout", "feature_dropout"}) {
            put(name, (node, read) -> read.of(node, 2).equals(NumberRange.of(0)) ? read.of(node, 0) : NumberRange.ANY);
        }
        put(
                "nan_to_num",
                (node, read) -> read.isWhole(node)
                        ? read.of(node, 0)
                        : read.of(node, 0).or(read.has(node, 1) ? read.of(node, 1) : NumberRange.of(0)));
        put(
                "where",
                (node, read) -> node.inputs().size() < 3
                        ? NumberRange.ANY
                        : read.of(node, 1).or(read.of(node, 2)));
        put("masked_fill", (node, read) -> read.of(node, 0).or(read.of(node, 2)));
        put(
                "scatter",
                (node, read) -> node.inputs().size() > 4
                        ? NumberRange.ANY
                        : read.of(node, 0).or(read.of(node, 3)));
        put("index_copy", (node, read) -> read.of(node, 0).or(read.of(node, 3)));
        put("index_fill", (node, read) -> read.of(node, 0).or(read.of(node, 3)));
        put("masked_scatter", (node, read) -> read.of(node, 0).or(read.of(node, 2)));
        put("index_put", (node, read) -> {
            boolean adds = read.has(node, 3) && read.of(node, 3).high() > 0;
            return adds ? NumberRange.ANY : read.of(node, 0).or(read.of(node, 2));
        });
        for (String name :
                new String[] {"slice_scatter", "select_scatter", "diagonal_scatter", "copy", "as_strided_scatter"}) {
            put(name, (node, read) -> read.of(node, 0).or(read.of(node, 1)));
        }
        put(
                "constant_pad_nd",
                (node, read) -> read.of(node, 0).or(read.has(node, 2) ? read.of(node, 2) : NumberRange.of(0)));
        put("pad", (node, read) -> read.of(node, 0).or(read.has(node, 3) ? read.of(node, 3) : NumberRange.of(0)));
        for (String name : new String[] {"reflection_pad", "replication_pad"}) {
            for (int rank = 1; rank <= 3; rank++) {
                put(name + rank + "d", MOVES);
            }
        }
        put("clamp", RangeRules::clamped);
        put("clip", RangeRules::clamped);
        put("hardtanh", RangeRules::clamped);
        put("clamp_min", (node, read) -> read.of(node, 0).most(read.of(node, 1)));
        put("clamp_max", (node, read) -> read.of(node, 0).least(read.of(node, 1)));
        put("maximum", (node, read) -> read.of(node, 0).most(read.of(node, 1)));
        put("minimum", (node, read) -> read.of(node, 0).least(read.of(node, 1)));
        put(
                "max",
                (node, read) -> node.schema().overload().equals("other")
                        ? read.of(node, 0).most(read.of(node, 1))
                        : read.of(node, 0));
        put(
                "min",
                (node, read) -> node.schema().overload().equals("other")
                        ? read.of(node, 0).least(read.of(node, 1))
                        : read.of(node, 0));
    }

    private static void sums() {
        put("sum", (node, read) -> summed(read.of(node, 0), read.joined(node), node, read));
        put("cumsum", (node, read) -> summed(read.of(node, 0), read.length(node, 0), node, read));
        put(
                "scatter_add",
                (node, read) -> read.of(node, 0)
                        .plus(summed(read.of(node, 3), read.count(node, 3), node, read)
                                .or(NumberRange.of(0))));
        put(
                "index_add",
                (node, read) -> node.inputs().size() > 4
                        ? NumberRange.ANY
                        : read.of(node, 0)
                                .plus(summed(read.of(node, 3), read.count(node, 3), node, read)
                                        .or(NumberRange.of(0))));
        for (String name : new String[] {"matmul", "mm", "bmm", "mv", "dot"}) {
            put(
                    name,
                    (node, read) -> read.isWhole(node)
                            ? summed(read.of(node, 0).times(read.of(node, 1)), read.length(node, 0), node, read)
                            : NumberRange.ANY);
        }
    }

    /** The range of one of a node's results; any where it is not known. */
    public static NumberRange of(Node node, int result, Read read) {
        boolean moved = node.schema() != null && node.schema().isView() || OperatorTrait.DIVIDES.of(node);
        Rule rule = moved ? MOVES : TABLE.get(node.kind());
        boolean list = node.outputs().get(result).type() instanceof Type.ListType;
        if (rule == null || list && rule != MOVES) {
            return NumberRange.ANY;
        }
        // Behind the first result are places of what was sorted, or of the largest, and counts.
        return result == 0 ? rule.of(node, read) : result == 1 ? places(node, read) : NumberRange.SIZES;
    }

    private static NumberRange places(Node node, Read read) {
        return new NumberRange(0, Math.max(0, read.count(node, 0) - 1));
    }

    private static NumberRange alpha(Node node, Read read, NumberRange scaled) {
        return read.has(node, 2) ? scaled.times(read.of(node, 2)) : scaled;
    }

    private static NumberRange quotient(Node node, Read read) {
        NumberRange a = read.of(node, 0);
        NumberRange b = read.of(node, 1);
        if (!b.has(0)) {
            NumberRange all =
                    NumberRange.around(a.low() / b.low(), a.low() / b.high(), a.high() / b.low(), a.high() / b.high());
            return read.isWhole(node)
                    ? new NumberRange(Math.floor(all.low()), Math.ceil(all.high()))
                    : rounded(all, node, read);
        }
        double far = a.magnitude().high();
        return read.isWhole(node)
                ? new NumberRange(a.low() >= 0 && b.low() >= 0 ? 0 : -far, far)
                : a.low() >= 0 && b.low() >= 0 ? new NumberRange(0, Double.POSITIVE_INFINITY) : NumberRange.ANY;
    }

    private static NumberRange left(Node node, Read read) {
        NumberRange by = read.of(node, 1);
        return by.low() < 0 || by.high() > Long.SIZE - 2
                ? NumberRange.ANY
                : read.of(node, 0).times(by.through(places -> Math.scalb(1.0, (int) places)));
    }

    private static NumberRange right(Node node, Read read) {
        NumberRange a = read.of(node, 0);
        NumberRange by = read.of(node, 1);
        return by.low() < 0
                ? NumberRange.ANY
                : NumberRange.around(
                        Math.floor(Math.scalb(a.low(), -(int) by.low())),
                        Math.floor(Math.scalb(a.high(), -(int) by.low())),
                        a.low() < 0 ? -1 : 0,
                        a.high() < 0 ? -1 : 0);
    }

    /** All numbers of as many bits as the longest of either. */
    private static NumberRange bitsOf(NumberRange a, NumberRange b) {
        NumberRange both = a.or(b);
        if (Double.isInfinite(both.low()) || Double.isInfinite(both.high())) {
            return NumberRange.ANY;
        }
        double end = 1;
        while (end <= both.high() || -end > both.low()) {
            end *= 2;
        }
        return new NumberRange(both.low() < 0 ? -end : 0, end - 1);
    }

    private static NumberRange clamped(Node node, Read read) {
        NumberRange range = read.of(node, 0);
        range = read.has(node, 1) ? range.most(read.of(node, 1)) : range;
        return read.has(node, 2) ? range.least(read.of(node, 2)) : range;
    }

    /** Sums of up to so many. */
    private static NumberRange summed(NumberRange range, double count, Node node, Read read) {
        return rounded(range.or(range.times(NumberRange.of(count))), node, read);
    }

    private static NumberRange rounded(NumberRange range, Node node, Read read) {
        return read.isWhole(node)
                ? range
                : new NumberRange(
                        range.low() - Math.abs(range.low()) * ROUNDING,
                        range.high() + Math.abs(range.high()) * ROUNDING);
    }
}
