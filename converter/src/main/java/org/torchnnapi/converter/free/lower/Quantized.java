package org.torchnnapi.converter.free.lower;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.UnaryOperator;
import org.torchnnapi.converter.free.specialise.TensorFacts;
import org.torchnnapi.converter.lower.FuseCode;
import org.torchnnapi.converter.lower.PackedState;
import org.torchnnapi.converter.lower.QuantizedParameters;
import org.torchnnapi.converter.lower.Refused;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Quantization;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.tensor.platform.Streams;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Value;

/** Operators of 8-bit tensors, whose results have scales of their own. */
final class Quantized implements NodeFamily {
    /** Entries of a packed configuration: dimensions, stride, padding, dilation, output padding (two each), groups, flags. */
    private static final int CONFIGURATION = 11;
    private static final double SIX = 6;
    private static final int[] OUT_LAST_IN = {0, 2, 3, 1};
    private static final int[] IN_FIRST = {1, 2, 3, 0};

    @Override
    public void register(Map<String, NodeLowering> table) {
        table.put("aten::quantize_per_tensor", Quantized::quantize);
        table.put("aten::dequantize", (node, scope) -> {
            scope.quantization(node.input(0));
            Elementwise.each(node, scope, x -> scope.net().dequantize(x));
        });
        // CAST takes the numbers that are stored, whatever they stand for.
        table.put("aten::int_repr", (node, scope) -> {
            scope.quantization(node.input(0));
            Elementwise.each(node, scope, x -> scope.net().exact(scope.net().cast(x, OperandType.TENSOR_INT32)));
        });
        table.put("quantized::conv2d", (node, scope) -> convolution(node, scope, FuseCode.NONE));
        table.put("quantized::conv2d_relu", (node, scope) -> convolution(node, scope, FuseCode.RELU));
        table.put("quantized::conv1d", (node, scope) -> convolution(node, scope, FuseCode.NONE));
        table.put("quantized::conv1d_relu", (node, scope) -> convolution(node, scope, FuseCode.RELU));
        table.put("quantized::linear", (node, scope) -> linear(node, scope, false));
        table.put("quantized::linear_relu", (node, scope) -> linear(node, scope, true));
        table.put("quantized::linear_dynamic", (node, scope) -> dynamic(node, scope, false));
        table.put("quantized::linear_relu_dynamic", (node, scope) -> dynamic(node, scope, true));
        table.put("quantized::linear_dynamic_fp16", (node, scope) -> dynamic(node, scope, false));
        table.put("quantized::linear_relu_dynamic_fp16", (node, scope) -> dynamic(node, scope, true));
        table.put("quantized::conv_transpose2d", Quantized::transposed);
        table.put("quantized::conv_transpose1d", Quantized::transposed);
        table.put("quantized::add", (node, scope) -> binary(node, scope, OperationType.ADD, FuseCode.NONE));
        table.put("quantized::add_relu", (node, scope) -> binary(node, scope, OperationType.ADD, FuseCode.RELU));
        table.put("quantized::mul", (node, scope) -> binary(node, scope, OperationType.MUL, FuseCode.NONE));
        table.put("quantized::mul_relu", (node, scope) -> binary(node, scope, OperationType.MUL, FuseCode.RELU));
        table.put("quantized::cat", (node, scope) -> concatenate(node, scope, false));
        table.put("quantized::cat_relu", (node, scope) -> concatenate(node, scope, true));
        table.put("quantized::dropout", (node, scope) -> {
            if (scope.flag(node.input(4))) {
                throw new Refused("nothing is dropped at random", "training=True", "training=False", "");
            }
            scope.alias(node.output(), node.input(0));
        });
        table.put("quantized::clamp", Activations::clamp);
        table.put("quantized::relu6", (node, scope) -> {
            if (scope.flag(node.input(1)) && node.input(0).uses().size() > 1) {
                throw new Refused("what is written in place is read nowhere else", "inplace=True", "inplace=False", "");
            }
            Activations.limitBytes(node, scope, 0.0, SIX);
        });
        table.put("quantized::threshold", (node, scope) -> {
            double threshold = scope.number(node.input(1));
            double value = scope.number(node.input(2));
            real(node, scope, x -> {
                NetBuilder net = scope.net();
                return net.select(net.test(OperationType.GREATER, x, net.number(threshold)), x, net.tile(net.floats(new float[] {(float) value}, ones(x.rank())), x.dims()));
            });
        });
        table.put("quantized::sigmoid", (node, scope) -> real(node, scope, x -> scope.net().unary(OperationType.LOGISTIC, x)));
        table.put("quantized::hardswish", (node, scope) -> real(node, scope, x -> scope.net().unary(OperationType.HARD_SWISH, x)));
        for (boolean relu : new boolean[] {false, true}) {
            String suffix = relu ? "_relu" : "";
            table.put("quantized::add_scalar" + suffix, (node, scope) -> number(node, scope, relu, (x, b) -> scope.net().add(x, b)));
            table.put("quantized::mul_scalar" + suffix, (node, scope) -> number(node, scope, relu, (x, b) -> scope.net().mul(x, b)));
        }
        table.put("quantized::leaky_relu", (node, scope) -> {
            double slope = scope.number(node.input(1));
            real(node, scope, x -> scope.net().binary(OperationType.MAXIMUM, x, scope.net().mul(x, slope)));
        });
    }

    private static void quantize(Node node, Scope scope) {
        scope.requireFloat(node.input(0));
        Quantization.PerTensor q = scope.quantization(node.output());
        Elementwise.each(node, scope, x -> scope.net().quantize(x, q.scale(), q.zeroPoint()));
    }

    /** A function of real numbers between the two scales. */
    static void real(Node node, Scope scope, UnaryOperator<Term> function) {
        scope.quantization(node.input(0));
        Quantization.PerTensor q = scope.quantization(node.output());
        Elementwise.each(node, scope, x -> scope.net().quantize(function.apply(scope.net().dequantize(x)), q.scale(), q.zeroPoint()));
    }

    private static int[] ones(int rank) {
        int[] dims = new int[rank];
        Arrays.fill(dims, 1);
        return dims;
    }

    /** A tensor and a number, as real numbers between the two scales. */
    private static void number(Node node, Scope scope, boolean relu, BiFunction<Term, Double, Term> operation) {
        double number = scope.number(node.input(1));
        real(node, scope, x -> relu ? scope.net().unary(OperationType.RELU, operation.apply(x, number)) : operation.apply(x, number));
    }

    private static void convolution(Node node, Scope scope, int fuse) {
        Object state = scope.packedState(node.input(1), "Conv2dPackedParamsBase");
        Tensor configuration = PackedState.tensor(state, 1, 0);
        Tensor raw = PackedState.tensor(state, 1, 1);
        Tensor bias = PackedState.tensor(state, 2, 0);
        if (configuration == null || configuration.numel() != CONFIGURATION || raw == null || raw.rank() != 4) {
            throw new Refused("packed parameters must be complete", "configuration " + configuration, CONFIGURATION + " numbers", "");
        }
        int[] numbers = Arrays.stream(configuration.toLongArray()).mapToInt(Math::toIntExact).toArray();
        Frame frame = Frame.of(new int[] {raw.size(2), raw.size(3)}, Arrays.copyOfRange(numbers, 1, 3), Arrays.copyOfRange(numbers, 3, 5),
            Arrays.copyOfRange(numbers, 5, 7));
        Quantization.PerTensor in = scope.quantization(node.input(0));
        Quantization.PerTensor out = scope.quantization(node.output());
        if (ChannelWeights.areKept(scope.net(), raw)) {
            Term image = Convolutions.image(scope, node.input(0));
            Convolutions.define(scope, node.output(), ChannelWeights.convolution(scope.net(), image, raw, bias, frame, numbers[9], fuse, out));
            return;
        }
        Term image = Convolutions.image(scope, node.input(0));
        int groups = numbers[9];
        boolean depthwise = groups != 1 && groups == image.dims()[3] && raw.size(1) == 1;
        if (groups != 1 && !depthwise && frame.isDilated()) {
            NetBuilder net = scope.net();
            Term made = Convolutions.byGroups(scope, net.dequantize(image), Recurrences.real(raw), ChannelWeights.stepped(bias, raw, raw.size(0), in.scale()), frame, groups);
            Term limited = fuse == FuseCode.NONE ? made : net.unary(OperationType.RELU, made);
            Convolutions.define(scope, node.output(), net.quantize(limited, out.scale(), out.zeroPoint()));
            return;
        }
        if (!(raw.quantization() instanceof Quantization.PerTensor)) {
            NetBuilder net = scope.net();
            Term made = net.windows().convolution(net.dequantize(image), net.constant(Recurrences.real(raw), depthwise ? IN_FIRST : OUT_LAST_IN),
                net.constant(ChannelWeights.stepped(bias, raw, raw.size(0), in.scale())), frame, depthwise ? 1 : groups, depthwise, fuse, 0, 0);
            Convolutions.define(scope, node.output(), net.quantize(made, out.scale(), out.zeroPoint()));
            return;
        }
        Tensor weight = QuantizedParameters.unsigned(raw);
        Term filter = scope.net().constant(weight, depthwise ? IN_FIRST : OUT_LAST_IN);
        Term offset = bias(scope, bias, weight, in, weight.size(0));
        Convolutions.define(scope, node.output(),
            scope.net().windows().convolution(image, filter, offset, frame, depthwise ? 1 : groups, depthwise, fuse, out.scale(), out.zeroPoint()));
    }

    private static Term bias(Scope scope, Tensor bias, Tensor weight, Quantization.PerTensor in, int count) {
        Tensor given = bias == null ? Tensor.zeros(DType.FLOAT32, count) : bias;
        return scope.net().constant(QuantizedParameters.bias(given, in.scale() * QuantizedParameters.scale(weight)));
    }

    private static void linear(Node node, Scope scope, boolean relu) {
        Object state = scope.packedState(node.input(1), "LinearPackedParamsBase");
        Tensor raw = PackedState.tensor(state, 0);
        Tensor bias = PackedState.tensor(state, 1);
        TensorFacts known = scope.facts(node.input(0));
        if (raw == null || raw.rank() != 2 || known.rank() == 0 || known.size(known.rank() - 1) != raw.size(1)) {
            throw new Refused("the sizes must fit", known + " times " + raw, "(.., in) x (out, in)", "");
        }
        Quantization.PerTensor in = scope.quantization(node.input(0));
        Quantization.PerTensor out = scope.quantization(node.output());
        NetBuilder net = scope.net();
        Term rows = scope.as(node.input(0), Math.toIntExact(known.count() / raw.size(1)), raw.size(1));
        Term made;
        if (ChannelWeights.areKept(net, raw)) {
            made = ChannelWeights.linear(net, rows, raw, bias, out);
        } else if (raw.quantization() instanceof Quantization.PerTensor) {
            Tensor weight = QuantizedParameters.unsigned(raw);
            made = net.fullyConnected(rows, net.constant(weight), bias(scope, bias, weight, in, raw.size(0)), out.scale(), out.zeroPoint());
        } else {
            made = net.quantize(real(net, net.dequantize(rows), raw, ChannelWeights.stepped(bias, raw, raw.size(0), in.scale())), out.scale(), out.zeroPoint());
        }
        Term positive = relu ? net.unary(OperationType.RELU, made) : made;
        int[] shape = scope.facts(node.output()).shape();
        scope.define(node.output(), net.reshape(positive, shape.length > NetBuilder.MAX_RANK ? Shapes.folded(shape) : shape));
    }

    /** A product with the real numbers that a weight stands for. */
    private static Term real(NetBuilder net, Term rows, Tensor weight, Tensor bias) {
        return net.fullyConnected(rows, net.constant(Recurrences.real(weight)), bias == null ? net.zeros(weight.size(0)) : net.constant(bias), 0, 0);
    }

    /** Dynamic quantization spares memory and time of phones' processors; NNAPI multiplies real numbers. */
    private static void dynamic(Node node, Scope scope, boolean relu) {
        Object state = scope.packedState(node.input(1), "LinearPackedParamsBase");
        Tensor weight = PackedState.tensor(state, 0);
        scope.requireFloat(node.input(0));
        TensorFacts known = scope.facts(node.input(0));
        if (weight == null || known.rank() == 0 || known.size(known.rank() - 1) != weight.size(1)) {
            throw new Refused("the sizes must fit", known + " times " + weight, "(.., in) x (out, in)", "");
        }
        NetBuilder net = scope.net();
        Term made = real(net, scope.as(node.input(0), Math.toIntExact(known.count() / weight.size(1)), weight.size(1)), weight, PackedState.tensor(state, 1));
        int[] shape = scope.facts(node.output()).shape();
        scope.define(node.output(), net.reshape(relu ? net.unary(OperationType.RELU, made) : made, shape.length > NetBuilder.MAX_RANK ? Shapes.folded(shape) : shape));
    }

    private static void transposed(Node node, Scope scope) {
        Object state = scope.packedState(node.input(1), "Conv2dPackedParamsBase");
        int[] numbers = Arrays.stream(PackedState.tensor(state, 1, 0).toLongArray()).mapToInt(Math::toIntExact).toArray();
        Tensor raw = PackedState.tensor(state, 1, 1);
        Tensor bias = PackedState.tensor(state, 2, 0);
        if (numbers.length != CONFIGURATION) {
            throw new Refused("packed parameters must be complete", "configuration " + Arrays.toString(numbers), CONFIGURATION + " numbers", "");
        }
        Frame plain = Frame.of(new int[] {raw.size(2), raw.size(3)}, Arrays.copyOfRange(numbers, 1, 3), Arrays.copyOfRange(numbers, 3, 5), Arrays.copyOfRange(numbers, 5, 7));
        Quantization.PerTensor in = scope.quantization(node.input(0));
        Quantization.PerTensor out = scope.quantization(node.output());
        NetBuilder net = scope.net();
        Term image = Convolutions.image(scope, node.input(0));
        boolean isPlain = numbers[9] == 1 && !plain.isDilated() && numbers[7] <= plain.rows().after() && numbers[8] <= plain.columns().after();
        Term made;
        if (isPlain && raw.quantization() instanceof Quantization.PerTensor) {
            Tensor weight = QuantizedParameters.unsigned(raw);
            Frame frame = new Frame(Convolutions.shorter(plain.rows(), numbers[7]), Convolutions.shorter(plain.columns(), numbers[8]));
            made = net.windows().transposedConvolution(image, net.constant(weight, IN_FIRST), bias(scope, bias, weight, in, raw.size(1)), frame, out.scale(), out.zeroPoint());
        } else {
            Tensor stepped = ChannelWeights.stepped(bias, raw, raw.size(1) * numbers[9], in.scale());
            Term real = Convolutions.transposed(net, net.dequantize(image), Recurrences.real(raw), stepped, plain, numbers[9], numbers[7], numbers[8]);
            made = net.quantize(real, out.scale(), out.zeroPoint());
        }
        Convolutions.define(scope, node.output(), made);
    }

    private static void binary(Node node, Scope scope, OperationType type, int fuse) {
        scope.quantization(node.input(0));
        scope.quantization(node.input(1));
        Quantization.PerTensor out = scope.quantization(node.output());
        int rank = scope.facts(node.output()).rank();
        if (scope.facts(node.input(0)).rank() != rank || scope.facts(node.input(1)).rank() != rank || rank > NetBuilder.MAX_RANK) {
            throw new Refused("both operands must have one rank", scope.facts(node.input(0)) + " and " + scope.facts(node.input(1)), "equal ranks", "");
        }
        Value leading = scope.facts(node.input(0)).count() >= scope.facts(node.input(1)).count() ? node.input(0) : node.input(1);
        int[] order = scope.order(leading);
        NetBuilder net = scope.net();
        Term a = scope.in(node.input(0), order);
        Term b = scope.in(node.input(1), order);
        if (type == OperationType.MUL && (float) out.scale() <= (float) a.scale() * (float) b.scale()) {
            // NNAPI multiplies quantized numbers where the result's scale is the larger one.
            Term product = net.mul(net.dequantize(a), net.dequantize(b));
            Term limited = fuse == FuseCode.RELU ? net.unary(OperationType.RELU, product) : product;
            scope.define(node.output(), net.quantize(limited, out.scale(), out.zeroPoint()), order);
            return;
        }
        scope.define(node.output(), net.arithmetic(type, a, b, fuse, out.scale(), out.zeroPoint()), order);
    }

    private static void concatenate(Node node, Scope scope, boolean relu) {
        List<Value> items = scope.items(node.input(0));
        Quantization.PerTensor out = scope.quantization(node.output());
        int rank = scope.facts(node.output()).rank();
        int dimension = Scope.dimension(scope.integer(node.input(1)), rank);
        items.forEach(scope::quantization);
        if (rank > NetBuilder.MAX_RANK) {
            throw new Refused("joined tensors have four dimensions at most", scope.facts(node.output()).toString(), "rank 4 or less", "");
        }
        int[] order = scope.order(items.get(0));
        int at = Scope.place(order, dimension);
        Term joined = scope.net().concatenate(items.stream().map(item -> scope.in(item, order)).collect(Streams.toList()), at, out.scale(), out.zeroPoint());
        scope.define(node.output(), relu ? scope.net().unary(OperationType.RELU, joined) : joined, order);
    }
}
