package org.torchnnapi.converter.lower;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.UnaryOperator;
import org.torchnnapi.converter.partial.TensorFacts;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.operators.support.QuantizedMath;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Quantization;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Value;

/** Activations, by NNAPI's own operations where there are some and by composition otherwise. */
final class Activations implements NodeFamily {
    /**
     * Coefficients of the error function's approximation 7.1.26 in Abramowitz and Stegun, whose error is below 1.5e-7.
     */
    private static final double[] ERROR_FUNCTION = {0.254829592, -0.284496736, 1.421413741, -1.453152027, 1.061405429};

    private static final double ERROR_FUNCTION_P = 0.3275911;
    /** From here on the error function is 1 in float32, and the gelu x. */
    private static final float ERROR_FUNCTION_IS_ONE = 64;

    private static final double TANH_GELU_CUBE = 0.044715;

    @Override
    public void register(NodeLoweringTable table) {
        table.put("aten::relu", Activations::relu);
        table.put("aten::relu6", (node, context) -> {
            if (context.facts(node.input(0)).quantization() != null) {
                limitBytes(node, context, 0.0, 6.0);
            } else {
                context.requireFloat(node.input(0));
                Elementwise.each(node, context, x -> context.nnapi().unary(OperationType.RELU6, x));
            }
        });
        table.put("aten::sigmoid", Activations::sigmoid);
        real(table, "aten::tanh", (node, context) -> x -> context.nnapi().unary(OperationType.TANH, x));
        table.function("aten::silu", (nnapi, x) -> nnapi.mul(x, nnapi.unary(OperationType.LOGISTIC, x)));
        table.function("aten::hardswish", (nnapi, x) -> nnapi.unary(OperationType.HARD_SWISH, x));
        real(table, "aten::hardsigmoid", (node, context) -> x -> hardSigmoid(context.nnapi(), x));
        table.plan("aten::hardtanh", Activations::clamp);
        table.plan("aten::clamp", Activations::clamp);
        table.plan("aten::clamp_min", Activations::clamp);
        table.plan("aten::clamp_max", (node, context) -> {
            return isBoundedAsTensors(node, context)
                    ? boundedAsTensors(node, context)
                    : () -> Elementwise.apply(
                            node, context, x -> bounded(context.nnapi(), x, null, context.number(node.input(1))));
        });
        real(
                table,
                "aten::leaky_relu",
                (node, context) -> x -> leaky(context.nnapi(), x, context.number(node.input(1))));
        table.plan("aten::rrelu", (node, context) -> {
            if (context.flag(node.input(3))) {
                return LoweringPlan.refused(
                        "random slopes are drawn in training only",
                        "training",
                        "a module in evaluation mode",
                        "call eval() before saving");
            }
            double slope = (context.number(node.input(1)) + context.number(node.input(2))) / 2;
            return () -> Elementwise.apply(node, context, x -> leaky(context.nnapi(), x, slope));
        });
        table.put("aten::elu", Activations::elu);
        table.put("aten::gelu", Activations::gelu);
        table.function("aten::erf", Activations::errorFunction);
        table.function("aten::erfc", (nnapi, x) -> {
            OperandRef rest = complement(nnapi, nnapi.unary(OperationType.ABS, x), 1);
            OperandRef below =
                    nnapi.cast(nnapi.test(OperationType.LESS, x, nnapi.number(0)), OperandType.TENSOR_FLOAT32);
            return nnapi.add(rest, nnapi.mul(below, nnapi.sub(nnapi.number(2), nnapi.mul(rest, 2))));
        });
        table.plan("aten::softplus", Activations::softplus);
        table.plan("aten::prelu", Activations::prelu);
        table.put("aten::softmax", (node, context) -> softmax(node, context, false));
        table.put("aten::_softmax", (node, context) -> softmax(node, context, false));
        table.put("aten::log_softmax", (node, context) -> softmax(node, context, true));
        table.put("aten::_log_softmax", (node, context) -> softmax(node, context, true));
    }

    /** A function of real numbers, which those are made that quantized tensors stand for. */
    private static void real(
            NodeLoweringTable table,
            String kind,
            BiFunction<Node, LoweringContext, UnaryOperator<OperandRef>> function) {
        table.put(kind, (node, context) -> {
            if (context.facts(node.input(0)).quantization() != null) {
                Quantized.real(node, context, function.apply(node, context));
            } else {
                Elementwise.apply(node, context, function.apply(node, context));
            }
        });
    }

    /** Activations that take quantized tensors as they are. */
    private static void relu(Node node, LoweringContext context) {
        TensorFacts known = context.facts(node.input(0));
        NnapiBuilder nnapi = context.nnapi();
        if (OperandTypes.isWhole(known.dtype()) || OperandTypes.isShort(known.dtype())) {
            Elementwise.each(
                    node, context, x -> nnapi.exactAs(x, nnapi.binary(OperationType.MAXIMUM, x, nnapi.indices(0))));
            return;
        }
        context.requireReal(node.input(0));
        Elementwise.each(node, context, x -> nnapi.unary(OperationType.RELU, x));
    }

    private static void sigmoid(Node node, LoweringContext context) {
        if (context.facts(node.input(0)).quantization() == null) {
            Elementwise.apply(node, context, x -> context.nnapi().unary(OperationType.LOGISTIC, x));
            return;
        }
        var q = context.quantization(node.output());
        Elementwise.each(
                node, context, x -> context.nnapi().requantized(OperationType.LOGISTIC, x, q.scale(), q.zeroPoint()));
    }

    private static OperandRef hardSigmoid(NnapiBuilder nnapi, OperandRef x) {
        return nnapi.mul(nnapi.unary(OperationType.RELU6, nnapi.add(x, 3)), 1.0 / 6);
    }

    /** Bounds of whole numbers, and bounds that are tensors. */
    private static boolean isBoundedAsTensors(Node node, LoweringContext context) {
        boolean tensors = GatherLowering.isTensor(context, node.input(1))
                || node.inputs().size() > 2 && GatherLowering.isTensor(context, node.input(2));
        return tensors
                || OperandTypes.isWhole(context.facts(node.output()).dtype())
                || OperandTypes.isWhole(context.facts(node.input(0)).dtype());
    }

    private static LoweringPlan boundedAsTensors(Node node, LoweringContext context) {
        OperandType type = OperandTypes.of(context.facts(node.output()).dtype());
        List<Value> values = new ArrayList<>();
        List<OperationType> bounds = new ArrayList<>();
        for (int i = 0; i < node.inputs().size(); i++) {
            if (!context.isNone(node.input(i))) {
                boolean most = i == 2 || node.is("aten::clamp_max");
                values.add(node.input(i));
                bounds.add(most ? OperationType.MINIMUM : OperationType.MAXIMUM);
            }
        }
        return Elementwise.broadcast(node, context, values, Collections.nCopies(values.size(), type), terms -> {
            OperandRef made = terms.get(0);
            for (int i = 1; i < terms.size(); i++) {
                made = context.nnapi().binary(bounds.get(i), made, terms.get(i));
            }
            return made;
        });
    }

    /** Bounds that are numbers, tensors or None. */
    static LoweringPlan clamp(Node node, LoweringContext context) {
        if (isBoundedAsTensors(node, context)) {
            return boundedAsTensors(node, context);
        }
        Double first = context.optional(node, 1) == null ? null : (Double) context.number(node.input(1));
        Double second = context.optional(node, 2) == null ? null : (Double) context.number(node.input(2));
        // Where it is the only limit, a NaN limits nothing.
        Double low = second == null && first != null && first.isNaN() && node.is("aten::clamp") ? null : first;
        Double high = first == null && second != null && second.isNaN() ? null : second;
        if (context.facts(node.input(0)).quantization() != null) {
            return () -> limitBytes(node, context, low, high);
        }
        return () -> Elementwise.apply(node, context, x -> bounded(context.nnapi(), x, low, high));
    }

    /**
     * Limits a quantized tensor. Between two limits PyTorch writes the elements in the order in which the tensor lies
     * in memory, and reads them as row-major: those of a channels-last tensor change places, as
     * {@link QuantizedMath#clamp} has it.
     */
    static void limitBytes(Node node, LoweringContext context, Double low, Double high) {
        boolean six = low != null && low == 0 && high != null && high == 6;
        UnaryOperator<OperandRef> limit =
                x -> six ? context.nnapi().unary(OperationType.RELU6, x) : boundedBytes(context.nnapi(), x, low, high);
        TensorFacts known = context.facts(node.input(0));
        if (low == null || high == null || known.order() == null || known.rank() > NnapiBuilder.MAX_RANK) {
            Elementwise.each(node, context, limit);
            return;
        }
        context.shaped(node.output(), limit.apply(context.in(node.input(0), known.order())));
    }

    /** The bounds are rounded to the tensor's own scale, as PyTorch does. */
    private static OperandRef boundedBytes(NnapiBuilder nnapi, OperandRef x, Double low, Double high) {
        OperandRef above = low == null ? x : nnapi.binary(OperationType.MAXIMUM, x, inScaleOf(nnapi, x, low));
        return high == null ? above : nnapi.binary(OperationType.MINIMUM, above, inScaleOf(nnapi, x, high));
    }

    private static OperandRef inScaleOf(NnapiBuilder nnapi, OperandRef x, double value) {
        return nnapi.constant(QuantizedMath.quantize(
                Tensor.of(new float[] {(float) value}, 1),
                new Quantization.PerTensor(x.scale(), x.zeroPoint()),
                DType.QUINT8));
    }

    private static OperandRef bounded(NnapiBuilder nnapi, OperandRef x, Double low, Double high) {
        if (low != null && high != null && low == 0 && high == 6) {
            return nnapi.unary(OperationType.RELU6, x);
        }
        if (low != null && high != null && low == -1 && high == 1) {
            return nnapi.unary(OperationType.RELU1, x);
        }
        OperandRef above = low == null
                ? x
                : low == 0
                        ? nnapi.unary(OperationType.RELU, x)
                        : nnapi.binary(OperationType.MAXIMUM, x, nnapi.number(low));
        return high == null ? above : nnapi.binary(OperationType.MINIMUM, above, nnapi.number(high));
    }

    private static OperandRef leaky(NnapiBuilder nnapi, OperandRef x, double slope) {
        return slope >= 0 && slope <= 1
                ? nnapi.binary(OperationType.MAXIMUM, x, nnapi.mul(x, slope))
                : nnapi.add(
                        nnapi.unary(OperationType.RELU, x),
                        nnapi.mul(nnapi.binary(OperationType.MINIMUM, x, nnapi.number(0)), slope));
    }

    private static void elu(Node node, LoweringContext context) {
        double alpha = context.number(node.input(1));
        double scale = context.number(node.input(2));
        double inputScale = context.number(node.input(3));
        Elementwise.apply(node, context, x -> {
            NnapiBuilder nnapi = context.nnapi();
            OperandRef negative = nnapi.binary(OperationType.MINIMUM, x, nnapi.number(0));
            OperandRef curve = nnapi.mul(
                    nnapi.add(
                            inputScale < 0
                                    ? nnapi.unary(OperationType.EXP, nnapi.mul(negative, inputScale))
                                    : nnapi.exponential(inputScale == 1 ? negative : nnapi.mul(negative, inputScale)),
                            -1),
                    alpha);
            OperandRef sum = nnapi.add(nnapi.unary(OperationType.RELU, x), curve);
            return scale == 1 ? sum : nnapi.mul(sum, scale);
        });
    }

    private static void gelu(Node node, LoweringContext context) {
        boolean tanh = node.inputs().size() > 1 && context.text(node.input(1)).equals("tanh");
        Elementwise.apply(node, context, x -> tanh ? tanhGelu(context.nnapi(), x) : gelu(context.nnapi(), x));
    }

    /** {@code x sigmoid(2 sqrt(2 / pi) (x + 0.044715 x^3))}. */
    private static OperandRef tanhGelu(NnapiBuilder nnapi, OperandRef x) {
        OperandRef cube = nnapi.mul(nnapi.mul(nnapi.mul(x, x), x), TANH_GELU_CUBE);
        return nnapi.mul(
                x, nnapi.unary(OperationType.LOGISTIC, nnapi.mul(nnapi.add(x, cube), 2 * Math.sqrt(2 / Math.PI))));
    }

    /**
     * {@code relu(x) - |x| (1 - erf(|x| / sqrt 2)) / 2}, which needs no sign. The last product is 0 long before a
     * bounded |x| lets infinity be.
     */
    private static OperandRef gelu(NnapiBuilder nnapi, OperandRef x) {
        OperandRef size = nnapi.unary(OperationType.ABS, x);
        OperandRef bounded = nnapi.binary(
                OperationType.MAXIMUM,
                nnapi.unary(OperationType.NEG, x),
                nnapi.binary(OperationType.MINIMUM, x, nnapi.number(ERROR_FUNCTION_IS_ONE)));
        OperandRef rest = nnapi.mul(complement(nnapi, nnapi.mul(size, Math.sqrt(0.5)), 0.5), bounded);
        return nnapi.sub(nnapi.unary(OperationType.RELU, x), rest);
    }

    private static OperandRef errorFunction(NnapiBuilder nnapi, OperandRef x) {
        OperandRef size = nnapi.unary(OperationType.ABS, x);
        OperandRef value = nnapi.sub(nnapi.number(1), complement(nnapi, size, 1));
        // The sign: x / |x|, which is 0 for 0 as |x| is the least number then, and which no infinity reaches.
        OperandRef bounded = nnapi.binary(
                OperationType.MAXIMUM,
                nnapi.binary(OperationType.MINIMUM, x, nnapi.number(ERROR_FUNCTION_IS_ONE)),
                nnapi.number(-ERROR_FUNCTION_IS_ONE));
        return nnapi.mul(
                value,
                nnapi.div(
                        bounded,
                        nnapi.binary(
                                OperationType.MAXIMUM,
                                nnapi.unary(OperationType.ABS, bounded),
                                nnapi.number(Float.MIN_NORMAL))));
    }

    /** {@code factor (1 - erf(z))} for z of 0 or more. */
    private static OperandRef complement(NnapiBuilder nnapi, OperandRef z, double factor) {
        OperandRef t = nnapi.reciprocal(nnapi.add(nnapi.mul(z, ERROR_FUNCTION_P), 1));
        OperandRef sum = nnapi.mul(t, factor * ERROR_FUNCTION[ERROR_FUNCTION.length - 1]);
        for (int i = ERROR_FUNCTION.length - 2; i >= 0; i--) {
            sum = nnapi.mul(nnapi.add(sum, factor * ERROR_FUNCTION[i]), t);
        }
        return nnapi.mul(sum, nnapi.exponential(nnapi.unary(OperationType.NEG, nnapi.mul(z, z))));
    }

    private static LoweringPlan softplus(Node node, LoweringContext context) {
        double beta = context.number(node.input(1));
        // Beyond the threshold PyTorch returns x itself, which the stable form equals there to float32's precision.
        if (context.number(node.input(2)) < 10) {
            return LoweringPlan.refused(
                    "softplus has no early threshold", String.valueOf(context.number(node.input(2))), "10 or more");
        }
        return () -> Elementwise.apply(
                node,
                context,
                x -> beta == 1
                        ? logOnePlusExp(context.nnapi(), x)
                        : context.nnapi()
                                .mul(
                                        logOnePlusExp(
                                                context.nnapi(), context.nnapi().mul(x, beta)),
                                        1 / beta));
    }

    /** {@code relu(x) + log(1 + exp(-|x|))}, which does not overflow. */
    private static OperandRef logOnePlusExp(NnapiBuilder nnapi, OperandRef x) {
        OperandRef small = nnapi.exponential(nnapi.unary(OperationType.NEG, nnapi.unary(OperationType.ABS, x)));
        return nnapi.add(nnapi.unary(OperationType.RELU, x), nnapi.unary(OperationType.LOG, nnapi.add(small, 1)));
    }

    private static LoweringPlan prelu(Node node, LoweringContext context) {
        context.requireFloat(node.input(0));
        Tensor slope = context.tensor(node.input(1));
        if (context.facts(node.input(0)).rank() < 2 && slope.numel() != 1) {
            return LoweringPlan.refused(
                    "PReLU's weight is one slope or one per channel", slope.toString(), "a tensor with channels");
        }
        return () -> {
            int[] order = context.order(node.input(0));
            if (order.length > NnapiBuilder.MAX_RANK) {
                TensorFacts known = context.facts(node.input(0));
                OperandRef rows = context.as(node.input(0), known.size(0), known.size(1), inner(known, 1));
                OperandRef made = context.nnapi()
                        .prelu(rows, context.nnapi().floats(slope.toFloatArray().clone(), 1, (int) slope.numel(), 1));
                context.shaped(node.output(), made);
                return;
            }
            int[] dims = new int[Math.max(1, order.length)];
            Arrays.fill(dims, 1);
            for (int i = 0; i < order.length; i++) {
                dims[i] = order[i] == 1 ? (int) slope.numel() : 1;
            }
            OperandRef weight = context.nnapi().floats(slope.toFloatArray().clone(), dims);
            Elementwise.each(node, context, x -> context.nnapi().prelu(x, weight));
        };
    }

    private static void softmax(Node node, LoweringContext context, boolean logarithm) {
        context.requireFloat(node.input(0));
        context.requireFloat(node.output());
        TensorFacts known = context.facts(node.input(0));
        int dimension = context.dimension(node.input(1), known.rank());
        NnapiBuilder nnapi = context.nnapi();
        TensorShapeLowering.Along along = TensorShapeLowering.Along.of(context, node.input(0), dimension);
        OperandRef in = along.term();
        // Along the last dimension of a matrix every release has it.
        boolean last = known.rank() > NnapiBuilder.MAX_RANK && in.dims()[2] == 1;
        OperandRef made = logarithm
                ? nnapi.logSoftmax(in, along.dimension())
                : last
                        ? nnapi.softmax(nnapi.reshape(in, in.dims()[0], in.dims()[1]), 1)
                        : nnapi.softmax(in, along.dimension());
        along.define(context, node.output(), made);
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
