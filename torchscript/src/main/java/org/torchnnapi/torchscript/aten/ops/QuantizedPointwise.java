package org.torchnnapi.torchscript.aten.ops;

import static org.torchnnapi.torchscript.aten.support.Args.int32;
import static org.torchnnapi.torchscript.aten.support.Args.integer;
import static org.torchnnapi.torchscript.aten.support.Args.real;
import static org.torchnnapi.torchscript.aten.support.Args.realOrNull;
import static org.torchnnapi.torchscript.aten.support.Args.tensor;
import static org.torchnnapi.torchscript.aten.support.Args.tensors;

import java.util.List;
import java.util.function.DoubleUnaryOperator;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Quantization;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.aten.OperatorFamily;
import org.torchnnapi.torchscript.aten.support.Broadcast;
import org.torchnnapi.torchscript.aten.support.Elements;
import org.torchnnapi.torchscript.aten.support.Layout;
import org.torchnnapi.torchscript.aten.support.Pointwise;
import org.torchnnapi.torchscript.aten.support.Quantized;
import org.torchnnapi.torchscript.aten.support.Tensors;

/** Element-wise operators that name the quantization of their result. */
public final class QuantizedPointwise implements OperatorFamily {
    /** The real value of a result from the zero-free integers and scales of two operands. */
    private interface Rule {
        double apply(long a, double scaleA, long b, double scaleB, double outScale);
    }

    @Override
    public void register(Registrar r) {
        for (boolean relu : new boolean[] {false, true}) {
            String end = (relu ? "_relu" : "") + "(Tensor qa, Tensor qb, float scale, int zero_point) -> Tensor qc";
            r.op("quantized::add" + end, a -> binary(tensor(a, 0), tensor(a, 1), target(a, 2), relu, QuantizedPointwise::sum));
            r.op("quantized::mul" + end, a -> binary(tensor(a, 0), tensor(a, 1), target(a, 2), relu, QuantizedPointwise::product));
            for (String other : new String[] {"Scalar", "Tensor"}) {
                String scalar = "_scalar" + (relu ? "_relu" : "") + (other.equals("Tensor") ? ".Tensor" : "");
                r.op("quantized::add" + scalar + "(Tensor qa, " + other + " b) -> Tensor qc", a -> addScalar(tensor(a, 0), real(a, 1), relu));
                r.op("quantized::mul" + scalar + "(Tensor qa, " + other + " b) -> Tensor qc", a -> mulScalar(tensor(a, 0), real(a, 1), relu));
            }
            String second = relu ? "_relu.Scalar(Tensor qa, Scalar b) -> Tensor qc" : ".Scalar(Tensor qa, Scalar b) -> Tensor qc";
            r.op("quantized::add" + second, a -> addScalar(tensor(a, 0), real(a, 1), relu));
            r.op("quantized::mul" + second, a -> mulScalar(tensor(a, 0), real(a, 1), relu));
            r.op("quantized::cat" + (relu ? "_relu" : "") + "(Tensor[] qx, int dim, float? scale, int? zero_point) -> Tensor",
                a -> cat(a, relu));
        }
        r.op("quantized::relu6(Tensor qx, bool inplace=False) -> Tensor", a -> Quantized.through(tensor(a, 0), t -> map(t, x -> Math.max(0, Math.min(6, x)))));
        r.op("quantized::sigmoid(Tensor qx, float output_scale, int output_zero_point) -> Tensor", a -> mapTo(a, 1, Activations::sigmoid));
        r.op("quantized::hardswish(Tensor input, float output_scale, int output_zero_point) -> Tensor", a -> mapTo(a, 1, x -> x * Math.max(0, Math.min(6, x + 3)) / 6));
        r.op("quantized::elu(Tensor self, float output_scale, int output_zero_point, Scalar alpha=1, "
            + "Scalar scale=1, Scalar input_scale=1) -> Tensor", a -> {
            double alpha = real(a, 3);
            double scale = real(a, 4);
            double input = real(a, 5);
            return mapTo(a, 1, x -> scale * (x > 0 ? x : alpha * Math.expm1(x * input)));
        });
        r.op("quantized::celu(Tensor self, float output_scale, int output_zero_point, Scalar alpha=1) -> Tensor", a -> {
            double alpha = real(a, 3);
            return mapTo(a, 1, x -> x > 0 ? x : alpha * Math.expm1(x / alpha));
        });
        r.op("quantized::leaky_relu(Tensor qx, Scalar negative_slope, bool inplace, float output_scale, "
            + "int output_zero_point) -> Tensor", a -> {
            double slope = real(a, 1);
            return mapTo(a, 3, x -> x > 0 ? x : x * slope);
        });
        r.op("quantized::prelu(Tensor qx, Tensor weight, float output_scale, int output_zero_point) -> Tensor", a -> Quantized.quantize(Activations.prelu(Quantized.dequantize(tensor(a, 0)),
            Quantized.dequantize(tensor(a, 1))), target(a, 2), tensor(a, 0).dtype()));
        r.op("quantized::softmax(Tensor qx, int dim, float output_scale, int output_zero_point) -> Tensor", a -> Quantized.quantize(SoftmaxFamily.softmax(Quantized.dequantize(tensor(a, 0)), integer(a, 1), null,
            false), target(a, 2), tensor(a, 0).dtype()));
        r.op("quantized::threshold(Tensor qx, Scalar threshold, Scalar value) -> Tensor qy", a -> {
            double threshold = real(a, 1);
            double value = real(a, 2);
            return Quantized.through(tensor(a, 0), t -> map(t, x -> x <= threshold ? value : x));
        });
        r.op("quantized::clamp(Tensor qx, Scalar? min=None, Scalar? max=None) -> Tensor qy", a -> {
            double least = realOrNull(a, 1) == null ? Double.NEGATIVE_INFINITY : real(a, 1);
            double greatest = realOrNull(a, 2) == null ? Double.POSITIVE_INFINITY : real(a, 2);
            return Quantized.through(tensor(a, 0), t -> map(t, x -> Math.min(greatest, Math.max(least, x))));
        });
        r.op("quantized::dropout(Tensor self, float output_scale, int output_zero_point, Scalar p=0.5, "
            + "bool training=False) -> Tensor", a -> tensor(a, 0));
        r.op("quantized::matmul(Tensor qa, Tensor qb, float scale, int zero_point) -> Tensor qc", a -> Quantized.quantize(MatrixProducts.matmul(Quantized.dequantize(tensor(a, 0)),
            Quantized.dequantize(tensor(a, 1))), target(a, 2), tensor(a, 0).dtype()));
    }

    static Quantization.PerTensor target(Object[] a, int i) {
        return new Quantization.PerTensor(real(a, i), int32(a, i + 1));
    }

    private static Tensor map(Tensor t, DoubleUnaryOperator f) {
        return Pointwise.unary(t, t.dtype(), f);
    }

    private static Tensor mapTo(Object[] a, int parameters, DoubleUnaryOperator f) {
        return Quantized.quantize(map(Quantized.dequantize(tensor(a, 0)), f), target(a, parameters), tensor(a, 0).dtype());
    }

    private static double sum(long a, double scaleA, long b, double scaleB, double outScale) {
        return (a * scaleA + b * scaleB) / outScale;
    }

    private static double product(long a, double scaleA, long b, double scaleB, double outScale) {
        return (float) (a * b) * ((float) (scaleA * scaleB) / (float) outScale);
    }

    private static Tensor binary(Tensor a, Tensor b, Quantization.PerTensor result, boolean relu, Rule rule) {
        if (!a.dtype().isQuantized() || a.dtype() != b.dtype()) {
            throw new IllegalArgumentException("operands: " + a + " and " + b + " (expected: one quantized type)");
        }
        Quantization.PerTensor p = Quantized.perTensor(a);
        Quantization.PerTensor q = Quantized.perTensor(b);
        int[] sizes = Broadcast.shape(a.sizes(), b.sizes());
        Tensor x = Broadcast.expand(a, sizes);
        Tensor y = Broadcast.expand(b, sizes);
        DType type = a.dtype();
        Tensor out = Tensors.strided(type, sizes, Layout.resultStrides(sizes, a, b), result);
        Elements.LongReader u = Elements.longReader(type, a.storage().array());
        Elements.LongReader v = Elements.longReader(type, b.storage().array());
        Elements.LongWriter w = Elements.longWriter(type, out.storage().array());
        long least = relu ? result.zeroPoint() : Quantized.least(type);
        long greatest = Quantized.greatest(type);
        Broadcast.loop((n, at, step) -> {
            for (int i = 0; i < n; i++) {
                double real = rule.apply(u.get(at[1] + i * step[1]) - p.zeroPoint(), p.scale(), v.get(at[2] + i * step[2]) - q.zeroPoint(),
                    q.scale(), result.scale());
                long rounded = (long) Math.rint(real) + result.zeroPoint();
                w.set(at[0] + i * step[0], Math.max(least, Math.min(greatest, rounded)));
            }
        }, out, x, y);
        return out;
    }

    /**
     * Adds a constant by moving the zero point; where it would leave the type's range, the scale grows and the integers are
     * requantized.
     */
    private static Tensor addScalar(Tensor t, double value, boolean relu) {
        Quantization.PerTensor q = Quantized.perTensor(t);
        long least = Quantized.least(t.dtype());
        long greatest = Quantized.greatest(t.dtype());
        double scale = q.scale();
        long zeroPoint = q.zeroPoint();
        long steps = (long) Math.rint(value / scale);
        Quantization.PerTensor result;
        if (least > zeroPoint - steps) {
            double wider = (greatest - (double) (zeroPoint - steps)) / ((double) greatest - least) * scale;
            result = new Quantization.PerTensor(wider, (int) least);
        } else if (greatest < zeroPoint - steps) {
            double wider = ((double) (zeroPoint - steps) - least) / ((double) greatest - least) * scale;
            result = new Quantization.PerTensor(wider, (int) greatest);
        } else {
            Tensor out = Conversions.copy(t, org.torchnnapi.tensor.MemoryFormat.PRESERVE)
                .withQuantization(new Quantization.PerTensor(scale, (int) (zeroPoint - steps)));
            return relu ? relu(out) : out;
        }
        double shift = steps * scale;
        Tensor out = Quantized.quantize(map(Quantized.dequantize(t), x -> x + shift), result, t.dtype());
        return relu ? relu(out) : out;
    }

    private static Tensor relu(Tensor t) {
        return Quantized.through(t, x -> map(x, Activations::relu));
    }

    /** Multiplies by a constant by changing the scale; a negative one also mirrors the integers. */
    private static Tensor mulScalar(Tensor t, double value, boolean relu) {
        Quantization.PerTensor q = Quantized.perTensor(t);
        long least = Quantized.least(t.dtype());
        long greatest = Quantized.greatest(t.dtype());
        Tensor out;
        if (value > 0) {
            out = Conversions.copy(t, org.torchnnapi.tensor.MemoryFormat.PRESERVE)
                .withQuantization(new Quantization.PerTensor(value * q.scale(), q.zeroPoint()));
        } else if (value == 0) {
            out = Tensors.strided(t.dtype(), t.sizes(), Layout.resultStrides(t.sizes(), t), new Quantization.PerTensor(1, 0));
        } else {
            Quantization.PerTensor mirrored = new Quantization.PerTensor(-value * q.scale(), (int) (greatest + least - q.zeroPoint()));
            out = Quantized.quantize(map(Quantized.dequantize(t), x -> x * value), mirrored, t.dtype());
        }
        return relu ? relu(out) : out;
    }

    private static Tensor cat(Object[] a, boolean relu) {
        List<Tensor> parts = tensors(a, 0);
        if (parts.isEmpty()) {
            throw new IllegalArgumentException("qx: empty (expected: at least one tensor)");
        }
        Quantization.PerTensor first = Quantized.perTensor(parts.get(0));
        Quantization.PerTensor result = new Quantization.PerTensor(a[2] == null ? first.scale() : real(a, 2),
            a[3] == null ? first.zeroPoint() : int32(a, 3));
        List<Tensor> same = parts.stream().map(t -> t.quantization().equals(result) ? t
            : Quantized.quantize(Quantized.dequantize(t), result, t.dtype())).toList();
        Tensor out = Concatenation.cat(same, integer(a, 1));
        return relu ? relu(out) : out;
    }
}
