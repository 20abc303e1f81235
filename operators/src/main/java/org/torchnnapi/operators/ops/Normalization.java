package org.torchnnapi.operators.ops;

import static org.torchnnapi.operators.support.Args.flag;
import static org.torchnnapi.operators.support.Args.int32;
import static org.torchnnapi.operators.support.Args.ints;
import static org.torchnnapi.operators.support.Args.real;
import static org.torchnnapi.operators.support.Args.tensor;
import static org.torchnnapi.operators.support.Args.tensorOrNull;

import java.util.Arrays;
import org.torchnnapi.operators.OperatorFamily;
import org.torchnnapi.operators.support.Args;
import org.torchnnapi.operators.support.Elements;
import org.torchnnapi.operators.support.MemoryOrder;
import org.torchnnapi.operators.support.NormalizedShape;
import org.torchnnapi.operators.support.Pointwise;
import org.torchnnapi.operators.support.QuantizedMath;
import org.torchnnapi.operators.support.Tensors;
import org.torchnnapi.tensor.MemoryFormat;
import org.torchnnapi.tensor.Quantization;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.OperatorTrait;

/**
 * Batch, layer, group and instance normalization: {@code (x - mean) / sqrt(var + eps) * weight + bias}, computed in
 * double.
 */
public final class Normalization implements OperatorFamily {
    @Override
    public void register(Registrar r) {
        r.op(
                "aten::batch_norm(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean, "
                        + "Tensor? running_var, bool training, float momentum, float eps, bool cudnn_enabled) -> "
                        + "Tensor",
                a -> batchNorm(a),
                OperatorTrait.TRAINS,
                OperatorTrait.CHANNELWISE,
                OperatorTrait.KEEPS_SHAPE);
        r.op(
                "aten::native_batch_norm(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean, "
                        + "Tensor? running_var, bool training, float momentum, float eps) -> (Tensor, Tensor, Tensor)",
                a -> batchNormWithStatistics(a),
                OperatorTrait.TRAINS);
        r.composite(
                "aten::layer_norm(Tensor input, int[] normalized_shape, Tensor? weight=None, Tensor? bias=None, "
                        + "float eps=1.0000000000000001e-05, bool cudnn_enable=True) -> Tensor",
                a -> layer(tensor(a, 0), ints(a, 1), tensorOrNull(a, 2), tensorOrNull(a, 3), real(a, 4)),
                """
            dims = annotate(List[int], [])
            for i in range(torch.len(normalized_shape)):
              _0 = torch.append(dims, torch.sub(i, torch.len(normalized_shape)))
            mean = torch.mean(input, dims, True)
            centred = torch.sub(input, mean)
            variance = torch.mean(torch.mul(centred, centred), dims, True)
            scaled = torch.mul(centred, torch.rsqrt(torch.add(variance, eps)))
            if torch.__is__(weight, None):
              weighted = scaled
            else:
              weighted = torch.mul(scaled, unchecked_cast(Tensor, weight))
            if torch.__is__(bias, None):
              result = weighted
            else:
              result = torch.add(weighted, unchecked_cast(Tensor, bias))
            return result""",
                OperatorTrait.KEEPS_SHAPE);
        r.composite(
                "aten::native_layer_norm(Tensor input, SymInt[] normalized_shape, Tensor? weight, Tensor? bias, "
                        + "float eps) -> (Tensor, Tensor, Tensor)",
                """
            dims = annotate(List[int], [])
            for i in range(torch.len(normalized_shape)):
              _0 = torch.append(dims, torch.sub(i, torch.len(normalized_shape)))
            mean = torch.mean(input, dims, True)
            variance = torch.var(input, dims, False, True)
            result = torch.layer_norm(input, normalized_shape, weight, bias, eps)
            return (result, mean, torch.rsqrt(torch.add(variance, eps)))""");
        r.composite(
                "aten::group_norm(Tensor input, int num_groups, Tensor? weight=None, Tensor? bias=None, "
                        + "float eps=1.0000000000000001e-05, bool cudnn_enabled=True) -> Tensor",
                a -> group(tensor(a, 0), int32(a, 1), tensorOrNull(a, 2), tensorOrNull(a, 3), real(a, 4)),
                """
            n = torch.size(input, 0)
            channels = torch.size(input, 1)
            grouped = torch.reshape(input, [n, num_groups, -1])
            mean = torch.mean(grouped, [2], True)
            centred = torch.sub(grouped, mean)
            variance = torch.mean(torch.mul(centred, centred), [2], True)
            normal = torch.mul(centred, torch.rsqrt(torch.add(variance, eps)))
            scaled = torch.reshape(normal, torch.size(input))
            shape = torch.add([1, channels], torch.mul([1], torch.sub(torch.dim(input), 2)))
            if torch.__is__(weight, None):
              weighted = scaled
            else:
              weighted = torch.mul(scaled, torch.reshape(unchecked_cast(Tensor, weight), shape))
            if torch.__is__(bias, None):
              result = weighted
            else:
              result = torch.add(weighted, torch.reshape(unchecked_cast(Tensor, bias), shape))
            return result""",
                OperatorTrait.KEEPS_SHAPE);
        r.composite(
                "aten::instance_norm(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean, "
                        + "Tensor? running_var, bool use_input_stats, float momentum, float eps, bool cudnn_enabled) "
                        + "-> Tensor",
                a -> {
                    if (!flag(a, 5)) {
                        return withStatistics(
                                tensor(a, 0).contiguous(),
                                tensorOrNull(a, 1),
                                tensorOrNull(a, 2),
                                tensor(a, 3),
                                tensor(a, 4),
                                real(a, 7));
                    }
                    return group(
                            tensor(a, 0).contiguous(),
                            tensor(a, 0).size(1),
                            tensorOrNull(a, 1),
                            tensorOrNull(a, 2),
                            real(a, 7));
                },
                """
            rows = torch.contiguous(input)
            if use_input_stats:
              result = torch.group_norm(rows, torch.size(input, 1), weight, bias, eps)
            else:
              result = torch.batch_norm(rows, weight, bias, running_mean, running_var, False, momentum, eps, \
            cudnn_enabled)
            return result""",
                OperatorTrait.TRAINS,
                OperatorTrait.KEEPS_SHAPE);
        for (String name : new String[] {"batch_norm", "batch_norm1d", "batch_norm2d", "batch_norm3d"}) {
            for (boolean relu : new boolean[] {false, true}) {
                String real = "torch.batch_norm(torch.dequantize(qx), weight, bias, mean, var, False, 0., eps, False)";
                r.composite(
                        "quantized::" + name + (relu ? "_relu" : "")
                                + "(Tensor qx, Tensor? weight, Tensor? bias, Tensor mean, Tensor var, "
                                + "float eps, float output_scale, int output_zero_point) -> Tensor",
                        a -> quantizedBatchNorm(a, relu),
                        QuantizedActivations.requantizing(relu ? "torch.relu(" + real + ")" : real, "qx"));
            }
        }
        r.composite(
                "quantized::layer_norm(Tensor input, int[] normalized_shape, Tensor? weight, Tensor? bias, float eps, "
                        + "float output_scale, int output_zero_point) -> Tensor",
                a -> requantized(
                        a,
                        5,
                        layer(
                                QuantizedMath.dequantize(tensor(a, 0)),
                                ints(a, 1),
                                tensorOrNull(a, 2),
                                tensorOrNull(a, 3),
                                real(a, 4))),
                QuantizedActivations.requantizing(
                        "torch.layer_norm(torch.dequantize(input), normalized_shape, weight, bias, eps, False)",
                        "input"));
        r.composite(
                "quantized::group_norm(Tensor input, int num_groups, Tensor? weight, Tensor? bias, float eps, "
                        + "float output_scale, int output_zero_point) -> Tensor",
                a -> requantized(
                        a,
                        5,
                        group(
                                QuantizedMath.dequantize(tensor(a, 0)),
                                int32(a, 1),
                                tensorOrNull(a, 2),
                                tensorOrNull(a, 3),
                                real(a, 4))),
                QuantizedActivations.requantizing(
                        "torch.group_norm(torch.dequantize(input), num_groups, weight, bias, eps, False)", "input"));
        r.composite(
                "quantized::instance_norm(Tensor input, Tensor? weight, Tensor? bias, float eps, float output_scale, "
                        + "int output_zero_point) -> Tensor",
                a -> requantized(
                        a,
                        4,
                        group(
                                QuantizedMath.dequantize(tensor(a, 0)),
                                tensor(a, 0).size(1),
                                tensorOrNull(a, 1),
                                tensorOrNull(a, 2),
                                real(a, 3))),
                QuantizedActivations.requantizing(
                        "torch.instance_norm(torch.dequantize(input), weight, bias, None, None, True, 0., eps, False)",
                        "input"));
    }

    private static Tensor requantized(Object[] a, int parameters, Tensor value) {
        return QuantizedMath.quantize(
                value,
                new Quantization.PerTensor(real(a, parameters), (int) Args.integer(a, parameters + 1)),
                tensor(a, 0).dtype());
    }

    private static Tensor quantizedBatchNorm(Object[] a, boolean relu) {
        Tensor value = withStatistics(
                QuantizedMath.dequantize(tensor(a, 0)),
                tensorOrNull(a, 1),
                tensorOrNull(a, 2),
                tensor(a, 3),
                tensor(a, 4),
                real(a, 5));
        if (relu) {
            value = Pointwise.unary(value, ActivationOperators::relu);
        }
        return requantized(a, 6, value);
    }

    /**
     * With the mean and the reciprocal of the standard deviation that the batch gave, none where running ones served.
     */
    private static Object[] batchNormWithStatistics(Object[] a) {
        Tensor x = tensor(a, 0);
        if (flag(a, 5)) {
            BatchStatistics statistics = statistics(a);
            return new Object[] {
                normalized(x, tensorOrNull(a, 1), tensorOrNull(a, 2), statistics),
                statistics.mean(),
                statistics.inverse()
            };
        }
        Tensor none = Tensors.empty(x.dtype(), 0);
        return new Object[] {batchNorm(a), none, Tensors.empty(x.dtype(), 0)};
    }

    private static BatchStatistics statistics(Object[] a) {
        return BatchStatistics.of(
                tensor(a, 0),
                tensorOrNull(a, 1),
                tensorOrNull(a, 2),
                tensorOrNull(a, 3),
                tensorOrNull(a, 4),
                real(a, 6),
                real(a, 7));
    }

    private static Tensor batchNorm(Object[] a) {
        Tensor x = tensor(a, 0);
        Tensor mean = tensorOrNull(a, 3);
        Tensor variance = tensorOrNull(a, 4);
        if (x.rank() == 1 && x.numel() == 0) {
            // PyTorch returns what has no elements before it looks for channels.
            return x.copy(MemoryFormat.CONTIGUOUS);
        }
        if (flag(a, 5) || mean == null || variance == null) {
            return normalized(x, tensorOrNull(a, 1), tensorOrNull(a, 2), statistics(a));
        }
        return withStatistics(x, tensorOrNull(a, 1), tensorOrNull(a, 2), mean, variance, real(a, 7));
    }

    /** Normalizes every channel (dimension 1) by given statistics. */
    static Tensor withStatistics(Tensor x, Tensor weight, Tensor bias, Tensor mean, Tensor variance, double eps) {
        double[] inverse = Arrays.stream(perChannel("running_var", variance, channels(x), 0))
                .map(v -> 1 / Math.sqrt(v + eps))
                .toArray();
        return normalized(x, weight, bias, mean, inverse);
    }

    private static Tensor normalized(Tensor x, Tensor weight, Tensor bias, BatchStatistics statistics) {
        return normalized(x, weight, bias, statistics.mean(), Elements.doubles(statistics.inverse()));
    }

    private static Tensor normalized(Tensor x, Tensor weight, Tensor bias, Tensor mean, double[] inverse) {
        int channels = channels(x);
        double[] m = perChannel("running_mean", mean, channels, 0);
        double[] w = perChannel("weight", weight, channels, 1);
        double[] b = perChannel("bias", bias, channels, 0);
        double[] scale = new double[channels];
        double[] shift = new double[channels];
        for (int c = 0; c < channels; c++) {
            scale[c] = w[c] * inverse[c];
            shift[c] = b[c] - m[c] * scale[c];
        }
        double[] in = Elements.doubles(x);
        double[] out = new double[in.length];
        int plane = channels == 0 || in.length == 0 ? 1 : in.length / x.sizes()[0] / channels;
        scaled(in, out, plane, scale, shift);
        return inFormatOf(x, Elements.ofDoubles(x.dtype(), out, x.sizes()));
    }

    private static int channels(Tensor x) {
        if (x.rank() < 2) {
            throw new IllegalArgumentException("input: " + x + " (expected: at least two dimensions)");
        }
        return x.sizes()[1];
    }

    /** @return for reading: it may be the tensor's own array */
    private static double[] perChannel(String what, Tensor t, int channels, double otherwise) {
        if (t == null) {
            double[] all = new double[channels];
            Arrays.fill(all, otherwise);
            return all;
        }
        if (t.numel() != channels) {
            throw new IllegalArgumentException(what + " should contain " + channels + " elements not " + t.numel());
        }
        return Elements.doubles(t);
    }

    static Tensor layer(Tensor x, int[] shape, Tensor weight, Tensor bias, double eps) {
        int length = NormalizedShape.count(x, shape, weight, bias);
        double[] in = Elements.doubles(x);
        double[] out = new double[in.length];
        double[] w = weight == null ? null : Elements.doubles(weight);
        double[] b = bias == null ? null : Elements.doubles(bias);
        for (int at = 0; at < in.length; at += length) {
            standardize(in, out, at, length, eps);
            for (int i = 0; i < length; i++) {
                out[at + i] = out[at + i] * (w == null ? 1 : w[i]) + (b == null ? 0 : b[i]);
            }
        }
        return Elements.ofDoubles(x.dtype(), out, x.sizes());
    }

    private static void standardize(double[] in, double[] out, int at, int length, double eps) {
        double sum = 0;
        for (int i = at; i < at + length; i++) {
            sum += in[i];
        }
        double mean = sum / length;
        double squares = 0;
        for (int i = at; i < at + length; i++) {
            squares += (in[i] - mean) * (in[i] - mean);
        }
        double inverse = 1 / Math.sqrt(squares / length + eps);
        for (int i = at; i < at + length; i++) {
            out[i] = (in[i] - mean) * inverse;
        }
    }

    private static Tensor group(Tensor x, int groups, Tensor weight, Tensor bias, double eps) {
        int channels = x.rank() < 2 ? 0 : x.sizes()[1];
        if (groups < 1 || channels % groups != 0) {
            throw new IllegalArgumentException(
                    "Expected number of channels in input to be divisible by num_groups, but got input of shape "
                            + Arrays.toString(x.sizes()) + " and num_groups=" + groups);
        }
        double[] in = Elements.doubles(x);
        double[] out = new double[in.length];
        double[] w = perChannel("weight", weight, channels, 1);
        double[] b = perChannel("bias", bias, channels, 0);
        if (in.length > 0) {
            int plane = in.length / x.sizes()[0] / channels;
            int length = plane * (channels / groups);
            for (int at = 0; at < in.length; at += length) {
                standardize(in, out, at, length, eps);
            }
            scaled(out, out, plane, w, b);
        }
        return inFormatOf(x, Elements.ofDoubles(x.dtype(), out, x.sizes()));
    }

    /** Scales and shifts planes of one channel after another. */
    private static void scaled(double[] in, double[] out, int plane, double[] scale, double[] shift) {
        for (int from = 0, c = 0; from < in.length; from += plane, c = c + 1 < scale.length ? c + 1 : 0) {
            double by = scale[c];
            double more = shift[c];
            for (int i = from; i < from + plane; i++) {
                out[i] = in[i] * by + more;
            }
        }
    }

    private static Tensor inFormatOf(Tensor input, Tensor result) {
        MemoryFormat format = MemoryOrder.suggested(input);
        return format == MemoryFormat.CONTIGUOUS ? result : result.contiguous(format);
    }
}
