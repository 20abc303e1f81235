package org.torchnnapi.operators.ops;

import static org.torchnnapi.operators.support.Args.flag;
import static org.torchnnapi.operators.support.Args.int32;
import static org.torchnnapi.operators.support.Args.real;
import static org.torchnnapi.operators.support.Args.tensor;

import java.util.function.DoubleUnaryOperator;
import org.torchnnapi.operators.OperatorFamily;
import org.torchnnapi.operators.support.Args;
import org.torchnnapi.operators.support.Pointwise;
import org.torchnnapi.operators.support.QuantizedMath;
import org.torchnnapi.operators.support.Tensors;
import org.torchnnapi.tensor.Quantization;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.OperatorTrait;

/** Activations of quantized tensors: dequantize, compute in float32, quantize with the output's parameters. */
public final class QuantizedActivations implements OperatorFamily {
    private static final double SIX = 6;
    /**
     * What is positive has a slope too: the nearest to 1 that the slopes' scale has, which is the largest of them where
     * all are smaller.
     */
    private static final String SLOPED =
            """
        one = torch.dequantize(torch.quantize_per_tensor(torch.ones([1]), torch.q_scale(weight), \
        torch.q_zero_point(weight), ops.prim.dtype(weight)))
        real = torch.dequantize(qx)
        negative = torch.prelu(torch.clamp(real, None, 0.), torch.dequantize(weight))
        """ + requantizing("torch.add(torch.mul(torch.relu(real), one), negative)", "qx");

    @Override
    public void register(Registrar r) {
        r.op(
                "quantized::relu6(Tensor qx, bool inplace=False) -> Tensor",
                a -> clamp(tensor(a, 0), 0.0, SIX, flag(a, 1)),
                OperatorTrait.ELEMENTWISE);
        r.op(
                "quantized::clamp(Tensor qx, Scalar? min=None, Scalar? max=None) -> Tensor qy",
                a -> clamp(tensor(a, 0), Args.realOrNull(a, 1), Args.realOrNull(a, 2), false),
                OperatorTrait.ELEMENTWISE);
        r.op(
                "quantized::threshold(Tensor qx, Scalar threshold, Scalar value) -> Tensor qy",
                a -> {
                    double threshold = real(a, 1);
                    double value = real(a, 2);
                    return QuantizedMath.through(tensor(a, 0), t -> Pointwise.unary(t, x -> x > threshold ? x : value));
                },
                OperatorTrait.ELEMENTWISE);
        r.op(
                "quantized::sigmoid(Tensor qx, float output_scale, int output_zero_point) -> Tensor",
                a -> mapped(a, 1, x -> 1 / (1 + Math.exp(-x))),
                OperatorTrait.ELEMENTWISE);
        r.op(
                "quantized::hardswish(Tensor input, float output_scale, int output_zero_point) -> Tensor",
                a -> mapped(a, 1, x -> (float) x * Math.min(Math.max((float) x + 3f, 0f), 6f) / 6f),
                OperatorTrait.ELEMENTWISE);
        r.op(
                "quantized::leaky_relu(Tensor qx, Scalar negative_slope, bool inplace, float output_scale, int "
                        + "output_zero_point) -> Tensor",
                a -> {
                    float slope = (float) real(a, 1);
                    return mapped(a, 3, x -> x > 0 ? x : (float) x * slope);
                },
                OperatorTrait.ELEMENTWISE);
        r.composite(
                "quantized::elu(Tensor self, float output_scale, int output_zero_point, Scalar alpha=1, Scalar "
                        + "scale=1, Scalar input_scale=1) -> Tensor",
                a -> {
                    float negative = (float) (real(a, 3) * real(a, 4));
                    float positive = (float) real(a, 4);
                    float inner = (float) real(a, 5);
                    return mapped(
                            a,
                            1,
                            x -> x >= 0 ? (float) x * positive : (float) Math.expm1((float) x * inner) * negative);
                },
                requantizing("torch.elu(torch.dequantize(self), alpha, scale, input_scale)", "self"),
                OperatorTrait.ELEMENTWISE);
        r.composite(
                "quantized::celu(Tensor self, float output_scale, int output_zero_point, Scalar alpha=1) -> Tensor",
                a -> {
                    double alpha = real(a, 3);
                    return mapped(a, 1, x -> x >= 0 ? x : alpha * Math.expm1(x / alpha));
                },
                requantizing("torch.celu(torch.dequantize(self), alpha)", "self"),
                OperatorTrait.ELEMENTWISE);
        r.composite(
                "quantized::prelu(Tensor qx, Tensor weight, float output_scale, int output_zero_point) -> Tensor",
                a -> prelu(tensor(a, 0), tensor(a, 1), output(a, 2)),
                SLOPED);
        r.composite(
                "quantized::softmax(Tensor qx, int dim, float output_scale, int output_zero_point) -> Tensor",
                a -> {
                    Tensor values =
                            SoftMax.softmax(QuantizedMath.dequantize(tensor(a, 0)), Args.integer(a, 1), null, false);
                    return QuantizedMath.quantize(
                            values, output(a, 2), tensor(a, 0).dtype());
                },
                requantizing("torch.softmax(torch.dequantize(qx), dim)", "qx"));
        r.op(
                "quantized::dropout(Tensor self, float output_scale, int output_zero_point, Scalar p=0.5, bool "
                        + "training=False) -> Tensor",
                a -> tensor(a, 0),
                OperatorTrait.TRAINS);
    }

    private static Quantization.PerTensor output(Object[] a, int at) {
        return new Quantization.PerTensor(real(a, at), int32(a, at + 1));
    }

    /** Scale and zero point of the output are arguments {@code at} and the next. */
    private static Tensor mapped(Object[] a, int at, DoubleUnaryOperator f) {
        Tensor x = tensor(a, 0);
        return QuantizedMath.quantize(Pointwise.unary(QuantizedMath.dequantize(x), f), output(a, at), x.dtype());
    }

    /** In integers, as PyTorch does: what is positive is multiplied by the nearest to 1 that the slopes' scale has. */
    private static Tensor prelu(Tensor x, Tensor slopes, Quantization.PerTensor out) {
        Quantization.PerTensor in = QuantizedMath.perTensor(x);
        Quantization.PerTensor w = QuantizedMath.perTensor(slopes);
        long one = QuantizedMath.integer(1, 1 / (float) w.scale(), w.zeroPoint(), slopes.dtype()) - w.zeroPoint();
        float factor = (float) in.scale() * (float) w.scale() * (1 / (float) out.scale());
        Tensor made = ActivationOperators.sloped(
                steps(x, in), steps(slopes, w), (value, slope) -> (float) (value * (value > 0 ? one : slope)) * factor);
        return QuantizedMath.quantize(made, new Quantization.PerTensor(1, out.zeroPoint()), x.dtype())
                .withQuantization(out);
    }

    /** The integers less the zero point, as real numbers. */
    private static Tensor steps(Tensor x, Quantization.PerTensor q) {
        return QuantizedMath.dequantize(x.withQuantization(new Quantization.PerTensor(1, q.zeroPoint())));
    }

    private static Tensor clamp(Tensor t, Double min, Double max, boolean inPlace) {
        Tensor clamped = QuantizedMath.clamp(
                t, min == null ? Double.NEGATIVE_INFINITY : min, max == null ? Double.POSITIVE_INFINITY : max);
        return inPlace ? Tensors.copyInto(t, clamped) : clamped;
    }

    /** A function of real numbers, quantized as the arguments say, to the type of {@code input}. */
    static String requantizing(String real, String input) {
        return "return torch.quantize_per_tensor(" + real + ", output_scale, output_zero_point, ops.prim.dtype(" + input
                + "))";
    }
}
