package org.torchnnapi.converter.free.lower;

import java.util.Arrays;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.UnaryOperator;
import org.torchnnapi.converter.free.specialise.TensorFacts;
import org.torchnnapi.converter.lower.Refused;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.operators.support.QuantizedMath;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Quantization;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.Node;

/** Activations, by NNAPI's own operations where there are some and by composition otherwise. */
final class Activations implements NodeFamily {
    /** Coefficients of the error function's approximation 7.1.26 in Abramowitz and Stegun, whose error is below 1.5e-7. */
    private static final double[] ERROR_FUNCTION = {0.254829592, -0.284496736, 1.421413741, -1.453152027, 1.061405429};
    private static final double ERROR_FUNCTION_P = 0.3275911;
    /** From here on the error function is 1 in float32, and the gelu x. */
    private static final float ERROR_FUNCTION_IS_ONE = 64;
    private static final double TANH_GELU_CUBE = 0.044715;

    @Override
    public void register(Map<String, NodeLowering> table) {
        simple(table, "aten::relu", OperationType.RELU);
        table.put("aten::relu6", (node, scope) -> {
            if (scope.facts(node.input(0)).quantization() != null) {
                limitBytes(node, scope, 0.0, 6.0);
            } else {
                scope.requireFloat(node.input(0));
                Elementwise.each(node, scope, x -> scope.net().unary(OperationType.RELU6, x));
            }
        });
        table.put("aten::sigmoid", Activations::sigmoid);
        real(table, "aten::tanh", (node, scope) -> x -> scope.net().unary(OperationType.TANH, x));
        table.put("aten::silu", (node, scope) -> Elementwise.apply(node, scope, x -> scope.net().mul(x, scope.net().unary(OperationType.LOGISTIC, x))));
        table.put("aten::hardswish", (node, scope) -> Elementwise.apply(node, scope, x -> scope.net().unary(OperationType.HARD_SWISH, x)));
        real(table, "aten::hardsigmoid", (node, scope) -> x -> hardSigmoid(scope.net(), x));
        table.put("aten::hardtanh", (node, scope) -> clamp(node, scope));
        table.put("aten::clamp", (node, scope) -> clamp(node, scope));
        table.put("aten::clamp_min", (node, scope) -> clamp(node, scope));
        table.put("aten::clip", (node, scope) -> clamp(node, scope));
        table.put("aten::clamp_max", (node, scope) -> {
            if (!boundedAsTensors(node, scope)) {
                Elementwise.apply(node, scope, x -> bounded(scope.net(), x, null, scope.number(node.input(1))));
            }
        });
        real(table, "aten::leaky_relu", (node, scope) -> x -> leaky(scope.net(), x, scope.number(node.input(1))));
        table.put("aten::rrelu", (node, scope) -> {
            if (scope.flag(node.input(3))) {
                throw new Refused("random slopes are drawn in training only", "training", "a module in evaluation mode", "call eval() before saving");
            }
            double slope = (scope.number(node.input(1)) + scope.number(node.input(2))) / 2;
            Elementwise.apply(node, scope, x -> leaky(scope.net(), x, slope));
        });
        table.put("aten::elu", Activations::elu);
        table.put("aten::gelu", Activations::gelu);
        table.put("aten::erf", (node, scope) -> Elementwise.apply(node, scope, x -> errorFunction(scope.net(), x)));
        table.put("aten::erfc", (node, scope) -> Elementwise.apply(node, scope, x -> {
            NetBuilder net = scope.net();
            Term rest = complement(net, net.unary(OperationType.ABS, x), 1);
            Term below = net.cast(net.test(OperationType.LESS, x, net.number(0)), OperandType.TENSOR_FLOAT32);
            return net.add(rest, net.mul(below, net.sub(net.number(2), net.mul(rest, 2))));
        }));
        table.put("aten::softplus", Activations::softplus);
        table.put("aten::mish", (node, scope) -> Elementwise.apply(node, scope, x -> {
            NetBuilder net = scope.net();
            return net.mul(x, net.unary(OperationType.TANH, logOnePlusExp(net, x)));
        }));
        table.put("aten::log_sigmoid", (node, scope) -> Elementwise.apply(node, scope, x -> {
            NetBuilder net = scope.net();
            return net.unary(OperationType.NEG, logOnePlusExp(net, net.unary(OperationType.NEG, x)));
        }));
        table.put("aten::prelu", Activations::prelu);
        table.put("aten::glu", Activations::glu);
        table.put("aten::softmax", (node, scope) -> softmax(node, scope, false));
        table.put("aten::_softmax", (node, scope) -> softmax(node, scope, false));
        table.put("aten::log_softmax", (node, scope) -> softmax(node, scope, true));
        table.put("aten::_log_softmax", (node, scope) -> softmax(node, scope, true));
    }

    /** A function of real numbers, which those are made that quantized tensors stand for. */
    private static void real(Map<String, NodeLowering> table, String kind, BiFunction<Node, Scope, UnaryOperator<Term>> function) {
        table.put(kind, (node, scope) -> {
            if (scope.facts(node.input(0)).quantization() != null) {
                Quantized.real(node, scope, function.apply(node, scope));
            } else {
                Elementwise.apply(node, scope, function.apply(node, scope));
            }
        });
    }

    /** Activations that take quantized tensors as they are. */
    private static void simple(Map<String, NodeLowering> table, String kind, OperationType type) {
        table.put(kind, (node, scope) -> {
            if (scope.facts(node.input(0)).quantization() == null) {
                scope.requireFloat(node.input(0));
            }
            Elementwise.each(node, scope, x -> scope.net().unary(type, x));
        });
    }

    private static void sigmoid(Node node, Scope scope) {
        if (scope.facts(node.input(0)).quantization() == null) {
            Elementwise.apply(node, scope, x -> scope.net().unary(OperationType.LOGISTIC, x));
            return;
        }
        var q = scope.quantization(node.output());
        Elementwise.each(node, scope, x -> scope.net().requantized(OperationType.LOGISTIC, x, q.scale(), q.zeroPoint()));
    }

    private static Term hardSigmoid(NetBuilder net, Term x) {
        return net.mul(net.unary(OperationType.RELU6, net.add(x, 3)), 1.0 / 6);
    }

    /** Bounds of whole numbers, and bounds that are tensors. */
    private static boolean boundedAsTensors(Node node, Scope scope) {
        boolean tensors = Lookups.isTensor(scope, node.input(1)) || node.inputs().size() > 2 && Lookups.isTensor(scope, node.input(2));
        TensorFacts to = scope.facts(node.output());
        boolean whole = OperandTypes.isWhole(to.dtype()) || OperandTypes.isWhole(scope.facts(node.input(0)).dtype());
        if (!tensors && !whole || to.rank() > NetBuilder.MAX_RANK) {
            return false;
        }
        OperandType type = OperandTypes.of(to.dtype());
        int[] order = Scope.identity(to.rank());
        Term made = Elementwise.operand(scope, node.input(0), order, type);
        for (int i = 1; i < node.inputs().size(); i++) {
            if (!scope.isNone(node.input(i))) {
                boolean most = i == 2 || node.is("aten::clamp_max");
                made = scope.net().binary(most ? OperationType.MINIMUM : OperationType.MAXIMUM, made, Elementwise.operand(scope, node.input(i), order, type));
            }
        }
        scope.define(node.output(), scope.net().reshape(made, Shapes.dims(to.shape())));
        return true;
    }

    /** Bounds that are numbers, tensors or None. */
    static void clamp(Node node, Scope scope) {
        if (boundedAsTensors(node, scope)) {
            return;
        }
        Double low = scope.optional(node, 1) == null ? null : (Double) scope.number(node.input(1));
        Double high = scope.optional(node, 2) == null ? null : (Double) scope.number(node.input(2));
        if (scope.facts(node.input(0)).quantization() != null) {
            limitBytes(node, scope, low, high);
            return;
        }
        Elementwise.apply(node, scope, x -> bounded(scope.net(), x, low, high));
    }

    /**
     * Limits a quantized tensor. Between two limits PyTorch writes the elements in the order in which the tensor lies in memory, and reads them as row-major:
     * those of a channels-last tensor change places, as {@link QuantizedMath#clamp} has it.
     */
    static void limitBytes(Node node, Scope scope, Double low, Double high) {
        boolean six = low != null && low == 0 && high != null && high == 6;
        UnaryOperator<Term> limit = x -> six ? scope.net().unary(OperationType.RELU6, x) : boundedBytes(scope.net(), x, low, high);
        TensorFacts known = scope.facts(node.input(0));
        if (low == null || high == null || known.order() == null || known.rank() > NetBuilder.MAX_RANK) {
            Elementwise.each(node, scope, limit);
            return;
        }
        scope.define(node.output(), scope.net().reshape(limit.apply(scope.in(node.input(0), known.order())), known.shape()));
    }

    /** The bounds are rounded to the tensor's own scale, as PyTorch does. */
    private static Term boundedBytes(NetBuilder net, Term x, Double low, Double high) {
        Term above = low == null ? x : net.binary(OperationType.MAXIMUM, x, inScaleOf(net, x, low));
        return high == null ? above : net.binary(OperationType.MINIMUM, above, inScaleOf(net, x, high));
    }

    private static Term inScaleOf(NetBuilder net, Term x, double value) {
        return net.constant(QuantizedMath.quantize(Tensor.of(new float[] {(float) value}, 1), new Quantization.PerTensor(x.scale(), x.zeroPoint()), DType.QUINT8));
    }

    private static Term bounded(NetBuilder net, Term x, Double low, Double high) {
        if (low != null && high != null && low == 0 && high == 6) {
            return net.unary(OperationType.RELU6, x);
        }
        if (low != null && high != null && low == -1 && high == 1) {
            return net.unary(OperationType.RELU1, x);
        }
        Term above = low == null ? x : low == 0 ? net.unary(OperationType.RELU, x) : net.binary(OperationType.MAXIMUM, x, net.number(low));
        return high == null ? above : net.binary(OperationType.MINIMUM, above, net.number(high));
    }

    private static Term leaky(NetBuilder net, Term x, double slope) {
        return slope >= 0 && slope <= 1 ? net.binary(OperationType.MAXIMUM, x, net.mul(x, slope))
            : net.add(net.unary(OperationType.RELU, x), net.mul(net.binary(OperationType.MINIMUM, x, net.number(0)), slope));
    }

    private static void elu(Node node, Scope scope) {
        double alpha = scope.number(node.input(1));
        double scale = scope.number(node.input(2));
        double inputScale = scope.number(node.input(3));
        Elementwise.apply(node, scope, x -> {
            NetBuilder net = scope.net();
            Term negative = net.binary(OperationType.MINIMUM, x, net.number(0));
            Term curve = net.mul(net.add(inputScale < 0 ? net.unary(OperationType.EXP, net.mul(negative, inputScale))
                : net.exponential(inputScale == 1 ? negative : net.mul(negative, inputScale)), -1), alpha);
            Term sum = net.add(net.unary(OperationType.RELU, x), curve);
            return scale == 1 ? sum : net.mul(sum, scale);
        });
    }

    private static void gelu(Node node, Scope scope) {
        boolean tanh = node.inputs().size() > 1 && scope.text(node.input(1)).equals("tanh");
        Elementwise.apply(node, scope, x -> tanh ? tanhGelu(scope.net(), x) : gelu(scope.net(), x));
    }

    /** {@code x sigmoid(2 sqrt(2 / pi) (x + 0.044715 x^3))}. */
    private static Term tanhGelu(NetBuilder net, Term x) {
        Term cube = net.mul(net.mul(net.mul(x, x), x), TANH_GELU_CUBE);
        return net.mul(x, net.unary(OperationType.LOGISTIC, net.mul(net.add(x, cube), 2 * Math.sqrt(2 / Math.PI))));
    }

    /** {@code relu(x) - |x| (1 - erf(|x| / sqrt 2)) / 2}, which needs no sign. The last product is 0 long before a bounded |x| lets infinity be. */
    private static Term gelu(NetBuilder net, Term x) {
        Term size = net.unary(OperationType.ABS, x);
        Term bounded = net.binary(OperationType.MAXIMUM, net.unary(OperationType.NEG, x), net.binary(OperationType.MINIMUM, x, net.number(ERROR_FUNCTION_IS_ONE)));
        Term rest = net.mul(complement(net, net.mul(size, Math.sqrt(0.5)), 0.5), bounded);
        return net.sub(net.unary(OperationType.RELU, x), rest);
    }

    private static Term errorFunction(NetBuilder net, Term x) {
        Term size = net.unary(OperationType.ABS, x);
        Term value = net.sub(net.number(1), complement(net, size, 1));
        // The sign: x / |x|, which is 0 for 0 as |x| is the least number then, and which no infinity reaches.
        Term bounded = net.binary(OperationType.MAXIMUM, net.binary(OperationType.MINIMUM, x, net.number(ERROR_FUNCTION_IS_ONE)), net.number(-ERROR_FUNCTION_IS_ONE));
        return net.mul(value, net.div(bounded, net.binary(OperationType.MAXIMUM, net.unary(OperationType.ABS, bounded), net.number(Float.MIN_NORMAL))));
    }

    /** {@code factor (1 - erf(z))} for z of 0 or more. */
    private static Term complement(NetBuilder net, Term z, double factor) {
        Term t = net.reciprocal(net.add(net.mul(z, ERROR_FUNCTION_P), 1));
        Term sum = net.mul(t, factor * ERROR_FUNCTION[ERROR_FUNCTION.length - 1]);
        for (int i = ERROR_FUNCTION.length - 2; i >= 0; i--) {
            sum = net.mul(net.add(sum, factor * ERROR_FUNCTION[i]), t);
        }
        return net.mul(sum, net.exponential(net.unary(OperationType.NEG, net.mul(z, z))));
    }

    private static void softplus(Node node, Scope scope) {
        double beta = scope.number(node.input(1));
        // Beyond the threshold PyTorch returns x itself, which the stable form equals there to float32's precision.
        if (scope.number(node.input(2)) < 10) {
            throw new Refused("softplus has no early threshold", String.valueOf(scope.number(node.input(2))), "10 or more", "");
        }
        Elementwise.apply(node, scope, x -> beta == 1 ? logOnePlusExp(scope.net(), x)
            : scope.net().mul(logOnePlusExp(scope.net(), scope.net().mul(x, beta)), 1 / beta));
    }

    /** {@code relu(x) + log(1 + exp(-|x|))}, which does not overflow. */
    private static Term logOnePlusExp(NetBuilder net, Term x) {
        Term small = net.exponential(net.unary(OperationType.NEG, net.unary(OperationType.ABS, x)));
        return net.add(net.unary(OperationType.RELU, x), net.unary(OperationType.LOG, net.add(small, 1)));
    }

    private static void prelu(Node node, Scope scope) {
        scope.requireFloat(node.input(0));
        Tensor slope = scope.tensor(node.input(1));
        int[] order = scope.order(node.input(0));
        if (order.length < 2 && slope.numel() != 1) {
            throw new Refused("PReLU's weight is one slope or one per channel", slope.toString(), "a tensor with channels", "");
        }
        if (order.length > NetBuilder.MAX_RANK) {
            TensorFacts known = scope.facts(node.input(0));
            Term rows = scope.as(node.input(0), known.size(0), known.size(1), inner(known, 1));
            Term made = scope.net().prelu(rows, scope.net().floats(slope.toFloatArray().clone(), 1, (int) slope.numel(), 1));
            scope.define(node.output(), scope.net().reshape(made, Shapes.dims(known.shape())));
            return;
        }
        int[] dims = new int[Math.max(1, order.length)];
        Arrays.fill(dims, 1);
        for (int i = 0; i < order.length; i++) {
            dims[i] = order[i] == 1 ? (int) slope.numel() : 1;
        }
        Term weight = scope.net().floats(slope.toFloatArray().clone(), dims);
        Elementwise.each(node, scope, x -> scope.net().prelu(x, weight));
    }

    private static void glu(Node node, Scope scope) {
        scope.requireFloat(node.input(0));
        int rank = scope.facts(node.input(0)).rank();
        if (rank > NetBuilder.MAX_RANK) {
            throw new Refused("gates have four dimensions at most", scope.facts(node.input(0)).toString(), "rank 4 or less", "");
        }
        int dimension = Scope.dimension(scope.integer(node.input(1)), rank);
        int half = scope.facts(node.output()).size(dimension);
        int[] order = scope.order(node.input(0));
        int at = Scope.place(order, dimension);
        Term in = scope.in(node.input(0), order);
        NetBuilder net = scope.net();
        Term gate = net.unary(OperationType.LOGISTIC, net.slice(in, at, half, 2 * half, 1));
        scope.define(node.output(), net.mul(net.slice(in, at, 0, half, 1), gate), order);
    }

    private static void softmax(Node node, Scope scope, boolean logarithm) {
        scope.requireFloat(node.input(0));
        scope.requireFloat(node.output());
        TensorFacts known = scope.facts(node.input(0));
        int dimension = Scope.dimension(scope.integer(node.input(1)), known.rank());
        NetBuilder net = scope.net();
        if (known.rank() > NetBuilder.MAX_RANK || known.rank() == 0) {
            int[] dims = {outer(known, dimension), known.rank() == 0 ? 1 : known.size(dimension), inner(known, dimension)};
            Term in = scope.as(node.input(0), dims);
            Term made = logarithm ? net.logSoftmax(in, 1) : dims[2] == 1 ? net.softmax(net.reshape(in, dims[0], dims[1]), 1) : net.softmax(in, 1);
            scope.define(node.output(), net.reshape(made, Shapes.dims(known.shape())));
            return;
        }
        int[] order = scope.order(node.input(0));
        int at = Scope.place(order, dimension);
        Term in = scope.in(node.input(0), order);
        scope.define(node.output(), logarithm ? net.logSoftmax(in, at) : net.softmax(in, at), order);
    }

    /** Product of the sizes before a dimension. */
    static int outer(TensorFacts known, int dimension) {
        int product = 1;
        for (int d = 0; d < dimension; d++) {
            product *= known.size(d);
        }
        return product;
    }

    /** Product of the sizes behind a dimension. */
    static int inner(TensorFacts known, int dimension) {
        int product = 1;
        for (int d = dimension + 1; d < known.rank(); d++) {
            product *= known.size(d);
        }
        return product;
    }
}
