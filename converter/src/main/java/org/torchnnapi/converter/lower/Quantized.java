package org.torchnnapi.converter.lower;

import java.util.List;
import java.util.function.BiFunction;
import java.util.function.UnaryOperator;
import org.torchnnapi.converter.model.ByteForm;
import org.torchnnapi.converter.model.FuseCode;
import org.torchnnapi.converter.partial.TensorFacts;
import org.torchnnapi.converter.report.Reason;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.operators.packed.ConvolutionParams;
import org.torchnnapi.operators.packed.LinearParams;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Quantization;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.tensor.platform.Streams;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Value;

/** Operators of 8-bit tensors, whose results have scales of their own. */
final class Quantized implements NodeFamily {
    private static final double SIX = 6;

    @Override
    public void register(NodeLoweringTable table) {
        table.put("aten::quantize_per_tensor", Quantized::quantize);
        table.put("aten::dequantize", (node, context) -> {
            context.quantization(node.input(0));
            Elementwise.each(node, context, x -> context.nnapi().dequantize(x));
        });
        // CAST takes the numbers that are stored, whatever they stand for.
        table.put("aten::int_repr", (node, context) -> {
            context.quantization(node.input(0));
            Elementwise.each(
                    node, context, x -> context.nnapi().exact(context.nnapi().cast(x, OperandType.TENSOR_INT32)));
        });
        table.plan("quantized::conv_transpose2d", Quantized::transposed);
        table.plan("quantized::conv_transpose1d", Quantized::transposed);
        table.plan("quantized::dropout", (node, context) -> {
            if (context.flag(node.input(4))) {
                return LoweringPlan.refused("nothing is dropped at random", "training=True", "training=False");
            }
            return () -> context.alias(node.output(), node.input(0));
        });
        table.plan("quantized::clamp", Activations::clamp);
        table.plan("quantized::relu6", (node, context) -> {
            if (context.flag(node.input(1)) && node.input(0).uses().size() > 1) {
                return LoweringPlan.refused(
                        "what is written in place is read nowhere else", "inplace=True", "inplace=False");
            }
            return () -> Activations.limitBytes(node, context, 0.0, SIX);
        });
        table.put("quantized::threshold", (node, context) -> {
            double threshold = context.number(node.input(1));
            double value = context.number(node.input(2));
            real(node, context, x -> {
                NnapiBuilder nnapi = context.nnapi();
                return nnapi.select(
                        nnapi.test(OperationType.GREATER, x, nnapi.number(threshold)),
                        x,
                        Comparisons.full(nnapi, nnapi.number(value), x.dims()));
            });
        });
        table.put(
                "quantized::sigmoid",
                (node, context) -> real(node, context, x -> context.nnapi().unary(OperationType.LOGISTIC, x)));
        table.put(
                "quantized::hardswish",
                (node, context) -> real(node, context, x -> context.nnapi().unary(OperationType.HARD_SWISH, x)));
        for (boolean relu : new boolean[] {false, true}) {
            String suffix = relu ? "_relu" : "";
            int fuse = relu ? FuseCode.RELU : FuseCode.NONE;
            for (String layer : new String[] {"conv2d", "conv1d"}) {
                table.plan("quantized::" + layer + suffix, (node, context) -> convolution(node, context, fuse));
            }
            table.plan("quantized::linear" + suffix, (node, context) -> linear(node, context, relu));
            for (String weights : new String[] {"_dynamic", "_dynamic_fp16"}) {
                table.plan("quantized::linear" + suffix + weights, (node, context) -> dynamic(node, context, relu));
            }
            table.plan("quantized::add" + suffix, (node, context) -> binary(node, context, OperationType.ADD, fuse));
            table.plan("quantized::mul" + suffix, (node, context) -> binary(node, context, OperationType.MUL, fuse));
            table.plan("quantized::cat" + suffix, (node, context) -> concatenate(node, context, relu));
            table.put(
                    "quantized::add_scalar" + suffix,
                    (node, context) -> number(
                            node, context, relu, (x, b) -> context.nnapi().add(x, b)));
            table.put(
                    "quantized::mul_scalar" + suffix,
                    (node, context) -> number(
                            node, context, relu, (x, b) -> context.nnapi().mul(x, b)));
        }
        table.put("quantized::leaky_relu", (node, context) -> {
            double slope = context.number(node.input(1));
            real(
                    node,
                    context,
                    x -> context.nnapi()
                            .binary(OperationType.MAXIMUM, x, context.nnapi().mul(x, slope)));
        });
    }

    private static void quantize(Node node, LoweringContext context) {
        context.requireFloat(node.input(0));
        Quantization.PerTensor q = context.quantization(node.output());
        Elementwise.each(node, context, x -> context.nnapi().quantize(x, q.scale(), q.zeroPoint()));
    }

    /** A function of real numbers between the two scales. */
    static void real(Node node, LoweringContext context, UnaryOperator<OperandRef> function) {
        context.quantization(node.input(0));
        Quantization.PerTensor q = context.quantization(node.output());
        Elementwise.each(
                node,
                context,
                x -> context.nnapi().quantize(function.apply(context.nnapi().dequantize(x)), q.scale(), q.zeroPoint()));
    }

    /** A tensor and a number, as real numbers between the two scales. */
    private static void number(
            Node node, LoweringContext context, boolean relu, BiFunction<OperandRef, Double, OperandRef> operation) {
        double number = context.number(node.input(1));
        real(
                node,
                context,
                x -> relu
                        ? context.nnapi().unary(OperationType.RELU, operation.apply(x, number))
                        : operation.apply(x, number));
    }

    private static LoweringPlan convolution(Node node, LoweringContext context, int fuse) {
        ConvolutionParams packed = context.packed(node.input(1), ConvolutionParams.class);
        Tensor raw = packed.weight();
        Tensor bias = packed.bias();
        Reason unfitWeights = unfit(packed);
        if (unfitWeights != null) {
            return LoweringPlan.refused(unfitWeights);
        }
        LoweringFrame frame = frame(packed);
        context.quantization(node.input(0));
        Quantization.PerTensor out = context.quantization(node.output());
        int groups = packed.groups();
        boolean depthwise =
                groups != 1 && groups == context.facts(node.input(0)).size(1) && raw.size(1) == 1;
        boolean kept = ChannelWeights.areKept(context.nnapi(), raw);
        if (kept && groups != 1 && !depthwise && frame.isDilated()) {
            return LoweringPlan.refused(
                    "grouped convolutions are not dilated",
                    "dilation " + frame.rows().dilation(),
                    "1");
        }
        return LoweringPlan.unless(unfit(context, raw), () -> {
            OperandRef image = Convolutions.image(context, node.input(0));
            OperandRef made = kept
                    ? ChannelWeights.convolution(context.nnapi(), image, raw, bias, frame, groups, fuse, out)
                    : product(
                            context.nnapi(),
                            image,
                            raw,
                            bias,
                            out,
                            (x, weights, offset, scale, zeroPoint) -> context.nnapi()
                                    .windows()
                                    .convolution(
                                            x,
                                            weights,
                                            offset,
                                            frame,
                                            depthwise ? 1 : groups,
                                            depthwise,
                                            fuse,
                                            scale,
                                            zeroPoint),
                            depthwise ? Convolutions.IN_FIRST : Convolutions.OUT_LAST_IN);
            Convolutions.define(context, node.output(), made);
        });
    }

    /** Why NNAPI multiplies with no such weights; null where it does. */
    private static Reason unfit(LoweringContext context, Tensor weight) {
        return ChannelWeights.areKept(context.nnapi(), weight)
                ? ChannelWeights.unfit(weight)
                : weight.quantization() instanceof Quantization.PerTensor ? QuantizedParameters.unfit(weight) : null;
    }

    /** A convolution or a product of matrices. */
    private interface Product {
        OperandRef of(OperandRef x, OperandRef weights, OperandRef bias, double scale, int zeroPoint);
    }

    /** Of bytes, or where weights have a scale a channel of the real numbers that these stand for. */
    private static OperandRef product(
            NnapiBuilder nnapi,
            OperandRef x,
            Tensor weight,
            Tensor bias,
            Quantization.PerTensor out,
            Product product,
            int... order) {
        if (weight.quantization() instanceof Quantization.PerTensor) {
            Tensor unsigned = QuantizedParameters.unsigned(weight);
            return product.of(
                    x,
                    nnapi.constant(unsigned, order),
                    bias(nnapi, bias, unsigned, x, weight.size(0)),
                    out.scale(),
                    out.zeroPoint());
        }
        OperandRef made = product.of(
                nnapi.dequantize(x),
                nnapi.constant(Recurrences.real(weight), order),
                nnapi.constant(ChannelWeights.stepped(bias, weight, weight.size(0), x.scale())),
                0,
                0);
        return nnapi.quantize(made, out.scale(), out.zeroPoint());
    }

    private static OperandRef bias(NnapiBuilder nnapi, Tensor bias, Tensor weight, OperandRef in, int count) {
        Tensor given = bias == null ? Tensor.zeros(DType.FLOAT32, count) : bias;
        return nnapi.constant(QuantizedParameters.bias(given, in.scale() * QuantizedParameters.scale(weight)));
    }

    private static LoweringPlan linear(Node node, LoweringContext context, boolean relu) {
        LinearParams packed = context.packed(node.input(1), LinearParams.class);
        Tensor raw = packed.weight();
        Tensor bias = packed.bias();
        TensorFacts known = context.facts(node.input(0));
        if (known.rank() == 0 || known.size(known.rank() - 1) != raw.size(1)) {
            return LoweringPlan.refused("the sizes must fit", known + " times " + raw, "(.., in) x (out, in)");
        }
        context.quantization(node.input(0));
        Quantization.PerTensor out = context.quantization(node.output());
        return LoweringPlan.unless(unfit(context, raw), () -> {
            NnapiBuilder nnapi = context.nnapi();
            OperandRef rows = context.as(node.input(0), Math.toIntExact(known.count() / raw.size(1)), raw.size(1));
            OperandRef made = ChannelWeights.areKept(nnapi, raw)
                    ? ChannelWeights.linear(nnapi, rows, raw, bias, out)
                    : product(nnapi, rows, raw, bias, out, nnapi::fullyConnected);
            context.shaped(node.output(), relu ? nnapi.unary(OperationType.RELU, made) : made);
        });
    }

    /** Dynamic quantization spares memory and time of phones' processors; NNAPI multiplies real numbers. */
    private static LoweringPlan dynamic(Node node, LoweringContext context, boolean relu) {
        LinearParams packed = context.packed(node.input(1), LinearParams.class);
        Tensor weight = packed.weight();
        context.requireFloat(node.input(0));
        TensorFacts known = context.facts(node.input(0));
        if (known.rank() == 0 || known.size(known.rank() - 1) != weight.size(1)) {
            return LoweringPlan.refused("the sizes must fit", known + " times " + weight, "(.., in) x (out, in)");
        }
        return () -> {
            NnapiBuilder nnapi = context.nnapi();
            OperandRef made = nnapi.fullyConnected(
                    context.as(node.input(0), Math.toIntExact(known.count() / weight.size(1)), weight.size(1)),
                    nnapi.constant(Recurrences.real(weight)),
                    packed.bias() == null ? nnapi.zeros(weight.size(0)) : nnapi.constant(packed.bias()));
            context.shaped(node.output(), relu ? nnapi.unary(OperationType.RELU, made) : made);
        };
    }

    /** Why a convolution is none of images; null where it is one. */
    private static Reason unfit(ConvolutionParams packed) {
        return packed.weight().rank() == 4
                ? null
                : new Reason(
                        "quantized convolutions are of images", packed.weight().toString(), "a weight of rank 4");
    }

    private static LoweringFrame frame(ConvolutionParams packed) {
        Tensor weight = packed.weight();
        return LoweringFrame.of(
                new int[] {weight.size(2), weight.size(3)}, packed.stride(), packed.padding(), packed.dilation());
    }

    private static LoweringPlan transposed(Node node, LoweringContext context) {
        ConvolutionParams packed = context.packed(node.input(1), ConvolutionParams.class);
        Tensor raw = packed.weight();
        Tensor bias = packed.bias();
        Reason unfitWeights = unfit(packed);
        if (unfitWeights != null) {
            return LoweringPlan.refused(unfitWeights);
        }
        LoweringFrame plain = frame(packed);
        int moreRows = packed.outputPadding()[0];
        int moreColumns = packed.outputPadding()[1];
        Quantization.PerTensor in = context.quantization(node.input(0));
        Quantization.PerTensor out = context.quantization(node.output());
        boolean isPlain = packed.groups() == 1
                && !plain.isDilated()
                && moreRows <= plain.rows().after()
                && moreColumns <= plain.columns().after();
        boolean bytes = isPlain && raw.quantization() instanceof Quantization.PerTensor;
        return LoweringPlan.unless(bytes ? QuantizedParameters.unfit(raw) : null, () -> {
            NnapiBuilder nnapi = context.nnapi();
            OperandRef image = Convolutions.image(context, node.input(0));
            OperandRef made;
            if (bytes) {
                Tensor weight = QuantizedParameters.unsigned(raw);
                LoweringFrame frame = new LoweringFrame(
                        Convolutions.shorter(plain.rows(), moreRows),
                        Convolutions.shorter(plain.columns(), moreColumns));
                made = nnapi.windows()
                        .transposedConvolution(
                                image,
                                nnapi.constant(weight, Convolutions.IN_FIRST),
                                bias(nnapi, bias, weight, image, raw.size(1)),
                                frame,
                                out.scale(),
                                out.zeroPoint());
            } else {
                Tensor stepped = ChannelWeights.stepped(bias, raw, raw.size(1) * packed.groups(), in.scale());
                OperandRef real = Convolutions.transposed(
                        nnapi,
                        nnapi.dequantize(image),
                        Recurrences.real(raw),
                        stepped,
                        plain,
                        packed.groups(),
                        moreRows,
                        moreColumns);
                made = nnapi.quantize(real, out.scale(), out.zeroPoint());
            }
            Convolutions.define(context, node.output(), made);
        });
    }

    private static LoweringPlan binary(Node node, LoweringContext context, OperationType type, int fuse) {
        context.quantization(node.input(0));
        context.quantization(node.input(1));
        Quantization.PerTensor out = context.quantization(node.output());
        int rank = context.facts(node.output()).rank();
        if (context.facts(node.input(0)).rank() != rank
                || context.facts(node.input(1)).rank() != rank
                || rank > NnapiBuilder.MAX_RANK) {
            return LoweringPlan.refused(
                    "both operands must have one rank",
                    context.facts(node.input(0)) + " and " + context.facts(node.input(1)),
                    "equal ranks");
        }
        return () -> {
            Value leading = context.facts(node.input(0)).count()
                            >= context.facts(node.input(1)).count()
                    ? node.input(0)
                    : node.input(1);
            int[] order = context.order(leading);
            NnapiBuilder nnapi = context.nnapi();
            OperandRef a = context.in(node.input(0), order);
            OperandRef b = context.in(node.input(1), order);
            if (type == OperationType.MUL && (float) out.scale() <= (float) a.scale() * (float) b.scale()) {
                // NNAPI multiplies quantized numbers where the result's scale is the larger one. In steps that are less
                // than two of the result's a product is within one of these, rounded twice.
                float wide = Math.nextUp((float) ((double) (float) a.scale() * (float) b.scale()));
                if (!nnapi.target().exact() && wide < 2 * (float) out.scale()) {
                    nnapi.model().note(ByteForm.byRule(node.kind(), "MUL, ADD", out, out));
                    context.define(
                            node.output(),
                            nnapi.scaled(
                                    nnapi.arithmetic(type, a, b, fuse, wide, out.zeroPoint()),
                                    out.scale(),
                                    out.zeroPoint()),
                            order);
                    return;
                }
                OperandRef product = nnapi.mul(nnapi.dequantize(a), nnapi.dequantize(b));
                OperandRef limited = fuse == FuseCode.RELU ? nnapi.unary(OperationType.RELU, product) : product;
                context.define(node.output(), nnapi.quantize(limited, out.scale(), out.zeroPoint()), order);
                return;
            }
            context.define(node.output(), nnapi.arithmetic(type, a, b, fuse, out.scale(), out.zeroPoint()), order);
        };
    }

    private static LoweringPlan concatenate(Node node, LoweringContext context, boolean relu) {
        List<Value> items = context.items(node.input(0));
        Quantization.PerTensor out = context.quantization(node.output());
        int rank = context.facts(node.output()).rank();
        int dimension = context.dimension(node.input(1), rank);
        items.forEach(context::quantization);
        if (rank > NnapiBuilder.MAX_RANK) {
            return LoweringPlan.refused(
                    "joined tensors have four dimensions at most",
                    context.facts(node.output()).toString(),
                    "rank 4 or less");
        }
        return () -> {
            int[] order = context.order(items.get(0));
            int at = LoweringContext.place(order, dimension);
            OperandRef joined = context.nnapi()
                    .concatenate(
                            items.stream().map(item -> context.in(item, order)).collect(Streams.toList()),
                            at,
                            out.scale(),
                            out.zeroPoint());
            context.define(node.output(), relu ? context.nnapi().unary(OperationType.RELU, joined) : joined, order);
        };
    }
}
