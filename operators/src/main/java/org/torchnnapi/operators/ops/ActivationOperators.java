package org.torchnnapi.operators.ops;

import static org.torchnnapi.operators.support.Args.real;
import static org.torchnnapi.operators.support.Args.scalar;
import static org.torchnnapi.operators.support.Args.tensor;
import static org.torchnnapi.operators.support.Args.text;

import java.util.Arrays;
import java.util.function.DoubleBinaryOperator;
import java.util.function.DoubleUnaryOperator;
import java.util.function.Function;
import org.torchnnapi.operators.OperatorFamily;
import org.torchnnapi.operators.OperatorKernel;
import org.torchnnapi.operators.support.MemoryOrder;
import org.torchnnapi.operators.support.Pointwise;
import org.torchnnapi.operators.support.QuantizedMath;
import org.torchnnapi.operators.support.SpecialFunctions;
import org.torchnnapi.operators.support.TensorViews;
import org.torchnnapi.operators.support.Tensors;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Quantization;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.OperatorTrait;

/** Activation functions. Quantized tensors keep their parameters, except sigmoid and tanh, whose range is known. */
public final class ActivationOperators implements OperatorFamily {
    private static final double SELU_ALPHA = 1.6732632423543772848170429916717;
    private static final double SELU_SCALE = 1.0507009873554804934193349852946;

    /** The function for an operator's arguments. */
    private interface Form extends Function<Object[], DoubleUnaryOperator> {}

    @Override
    public void register(Registrar all) {
        Registrar r = all.with(OperatorTrait.ELEMENTWISE);
        op(r, "relu", "", a -> ActivationOperators::relu);
        op(r, "relu6", "return torch.hardtanh(self, 0., 6.)", "", a -> x -> clamp(x, 0, 6));
        op(r, "hardtanh", ", Scalar min_val=-1, Scalar max_val=1", a -> {
            double low = real(a, 1);
            double high = real(a, 2);
            return x -> clamp(x, low, high);
        });
        op(r, "sigmoid", "", a -> ActivationOperators::sigmoid);
        op(r, "tanh", "", a -> Math::tanh);
        op(r, "silu", "return torch.mul(self, torch.sigmoid(self))", "", a -> x -> x * sigmoid(x));
        op(
                r,
                "mish",
                "return torch.mul(self, torch.tanh(torch.softplus(self)))",
                "",
                a -> x -> x * Math.tanh(softplus(x, 1, 20)));
        op(
                r,
                "hardswish",
                "return torch.div(torch.mul(self, torch.relu6(torch.add(self, 3.))), 6.)",
                "",
                a -> x -> x * clamp(x + 3, 0, 6) / 6);
        op(
                r,
                "hardsigmoid",
                "return torch.div(torch.relu6(torch.add(self, 3.)), 6.)",
                "",
                a -> x -> clamp(x + 3, 0, 6) / 6);
        op(
                r,
                "selu",
                "return torch.elu(self, 1.6732632423543772, 1.0507009873554805)",
                "",
                a -> x -> SELU_SCALE * (x > 0 ? x : SELU_ALPHA * Math.expm1(x)));
        op(
                r,
                "celu",
                "return torch.elu(self, float(alpha), 1., torch.div(1., float(alpha)))",
                ", Scalar alpha=1.",
                a -> {
                    double alpha = real(a, 1);
                    return x -> x > 0 ? x : alpha * Math.expm1(x / alpha);
                });
        op(r, "elu", ", Scalar alpha=1, Scalar scale=1, Scalar input_scale=1", a -> {
            double alpha = real(a, 1);
            double scale = real(a, 2);
            double input = real(a, 3);
            return x -> scale * (x > 0 ? x : alpha * Math.expm1(x * input));
        });
        op(r, "leaky_relu", ", Scalar negative_slope=0.01", a -> {
            double slope = real(a, 1);
            return x -> x > 0 ? x : x * slope;
        });
        r.with(OperatorTrait.KEEPS_SHAPE)
                .composite(
                        "aten::threshold(Tensor self, Scalar threshold, Scalar value) -> Tensor",
                        ActivationOperators::threshold,
                        "return torch.where(torch.le(self, threshold), value, self)");
        r.op(
                "aten::threshold_(Tensor(a!) self, Scalar threshold, Scalar value) -> Tensor(a!)",
                a -> Tensors.inPlace(tensor(a, 0), threshold(a)));
        op(
                r,
                "gelu",
                """
            if torch.eq(approximate, "tanh"):
              inner = torch.mul(torch.add(self, torch.mul(torch.mul(torch.mul(self, self), self), \
            0.044714999999999998)), 0.79788456080286541)
              gate = torch.tanh(inner)
            else:
              gate = torch.erf(torch.mul(self, 0.70710678118654757))
            return torch.mul(torch.mul(self, 0.5), torch.add(gate, 1.))""", //
                ", *, str approximate=\"none\"",
                a -> gelu(a.length < 2 ? "none" : text(a, 1)));
        function(
                r,
                "log_sigmoid",
                "return torch.neg(torch.softplus(torch.neg(torch.contiguous(self))))",
                "",
                a -> x -> Math.min(x, 0) - Math.log1p(Math.exp(-Math.abs(x))));
        function(
                r,
                "softplus",
                """
            scaled = torch.mul(self, beta)
            curve = torch.div(torch.add(torch.relu(scaled), torch.log1p(torch.exp(torch.neg(torch.abs(scaled))))), beta)
            return torch.where(torch.gt(scaled, threshold), self, curve)""", //
                ", Scalar beta=1, Scalar threshold=20",
                a -> {
                    double beta = real(a, 1);
                    double threshold = real(a, 2);
                    return x -> softplus(x, beta, threshold);
                });
        function(
                r,
                "hardshrink",
                "return torch.mul(self, torch.gt(torch.abs(self), lambd))",
                ", Scalar lambd=0.5",
                a -> {
                    double lambda = real(a, 1);
                    return x -> x >= -lambda && x <= lambda ? 0 : x;
                });
        function(
                r,
                "softshrink",
                "return torch.sub(self, torch.clamp(self, torch.neg(float(lambd)), float(lambd)))",
                ", Scalar lambd=0.5",
                a -> {
                    double lambda = real(a, 1);
                    return x -> x > lambda ? x - lambda : x < -lambda ? x + lambda : 0;
                });
        all.with(OperatorTrait.CHANNELWISE)
                .op("aten::prelu(Tensor self, Tensor weight) -> Tensor", a -> prelu(tensor(a, 0), tensor(a, 1)));
        all.composite(
                "aten::glu(Tensor self, int dim=-1) -> Tensor",
                a -> {
                    Tensor t = tensor(a, 0);
                    long dim = a[1] instanceof Long l ? l : -1;
                    int size = t.size(dim);
                    if (size % 2 != 0) {
                        throw new IllegalArgumentException(
                                "Halving dimension must be even, but dimension " + dim + " is size " + size);
                    }
                    return Pointwise.binary(
                            TensorViews.narrow(t, dim, 0, size / 2),
                            TensorViews.narrow(t, dim, size / 2, size / 2),
                            t.dtype(),
                            (x, y) -> x * sigmoid(y),
                            null);
                },
                """
            half, gate = torch.chunk(self, 2, dim)
            return torch.mul(half, torch.sigmoid(gate))""");
    }

    /** A function with its in-place form. */
    private static void op(Registrar r, String name, String parameters, Form form) {
        op(r, name, null, parameters, form);
    }

    /** @param body what it is in other operators, or null */
    private static void op(Registrar r, String name, String body, String parameters, Form form) {
        function(r, name, body, parameters, form);
        r.op(
                "aten::" + name + "_(Tensor(a!) self" + parameters + ") -> Tensor(a!)",
                a -> Tensors.inPlace(tensor(a, 0), apply(name, tensor(a, 0), form.apply(a))));
    }

    private static void function(Registrar all, String name, String body, String parameters, Form form) {
        Registrar r = switch (name) {
            // Of whole numbers these two give real ones.
            case "sigmoid", "tanh" -> all.with(OperatorTrait.FIXES_QUANTIZATION);
            case "hardsigmoid" -> all.with(OperatorTrait.KEEPS_SHAPE, OperatorTrait.FIXES_QUANTIZATION);
            case "relu" -> all.with(OperatorTrait.KEEPS_SHAPE, OperatorTrait.KEEPS_INTEGERS);
            default -> all.with(OperatorTrait.KEEPS_SHAPE);
        };
        String schema = "aten::" + name + "(Tensor self" + parameters + ") -> Tensor";
        OperatorKernel kernel = a -> apply(name, tensor(a, 0), form.apply(a));
        if (body == null) {
            r.op(schema, kernel);
        } else {
            r.composite(schema, kernel, body);
        }
    }

    private static Tensor apply(String name, Tensor t, DoubleUnaryOperator f) {
        if (t.dtype().isComplex()) {
            return complex(name, t);
        }
        if (name.equals("log_sigmoid")) {
            return Pointwise.unary(t.contiguous(), t.dtype(), f);
        }
        if (t.dtype().isIntegral()
                && (name.startsWith("relu") || name.equals("hardtanh") || name.equals("threshold"))) {
            return limited(t, f);
        }
        if (!t.dtype().isQuantized()) {
            return Pointwise.unary(t, t.dtype().isIntegral() ? DType.FLOAT32 : t.dtype(), f);
        }
        if (name.equals("hardtanh") || name.equals("relu6")) {
            return QuantizedMath.clamp(
                    t, f.applyAsDouble(Double.NEGATIVE_INFINITY), f.applyAsDouble(Double.POSITIVE_INFINITY));
        }
        Quantization own = QuantizedMath.perTensor(t);
        Quantization result = switch (name) {
            case "sigmoid", "hardsigmoid" -> outputRange(t.dtype(), 1.0 / 256, t.dtype() == DType.QINT8 ? -128 : 0);
            case "tanh" -> outputRange(t.dtype(), 2.0 / 256, t.dtype() == DType.QINT8 ? 0 : 128);
            default -> own;
        };
        return QuantizedMath.quantize(Pointwise.unary(QuantizedMath.dequantize(t), f), result, t.dtype());
    }

    /** Both numbers are first of the tensor's type. */
    private static Tensor threshold(Object[] a) {
        Tensor t = tensor(a, 0);
        if (t.dtype().kind() != DType.Kind.INTEGER) {
            double threshold = real(a, 1);
            double value = real(a, 2);
            return apply("threshold", t, x -> x <= threshold ? value : x);
        }
        long threshold = whole(scalar(a, 1), t.dtype());
        long value = whole(scalar(a, 2), t.dtype());
        return Pointwise.unaryLong(t, t.dtype(), x -> x <= threshold ? value : x);
    }

    private static long whole(Object number, DType type) {
        return Tensors.operand(Tensors.fitting(number, type), type).getLong(0);
    }

    /** Of whole numbers, which stay as they are but where the function gives something else: a limit. */
    private static Tensor limited(Tensor t, DoubleUnaryOperator f) {
        if (t.dtype() == DType.BOOL) {
            throw new IllegalArgumentException("dtype: bool (expected: numbers)");
        }
        return Pointwise.unaryLong(t, t.dtype(), x -> {
            double y = f.applyAsDouble(x);
            return y == x ? x : (long) y;
        });
    }

    private static Tensor complex(String name, Tensor t) {
        return switch (name) {
            case "sigmoid" -> ComplexFunctions.map(t, ComplexFunctions.SIGMOID);
            case "tanh" -> ComplexFunctions.map(t, ComplexFunctions.TANH);
            case "silu" -> ComplexOperators.multiply(t, ComplexFunctions.map(t, ComplexFunctions.SIGMOID));
            default ->
                throw new IllegalArgumentException(
                        "\"" + name + "\" not implemented for " + t.dtype().torchName() + " (expected: a real type)");
        };
    }

    private static Quantization outputRange(DType type, double scale, int zeroPoint) {
        return type == DType.QINT32
                ? new Quantization.PerTensor(1.0 / (1L << 32), 0)
                : new Quantization.PerTensor(scale, zeroPoint);
    }

    static double relu(double x) {
        return x < 0 ? 0 : x;
    }

    private static double clamp(double x, double low, double high) {
        double least = x < low ? low : x;
        return least > high ? high : least;
    }

    static double sigmoid(double x) {
        return 1 / (1 + Math.exp(-x));
    }

    private static double softplus(double x, double beta, double threshold) {
        return x * beta > threshold ? x : Math.log1p(Math.exp(x * beta)) / beta;
    }

    /**
     * {@code none}: x times the normal distribution function; {@code tanh}: its approximation (Hendrycks and Gimpel,
     * 2016).
     */
    static DoubleUnaryOperator gelu(String approximate) {
        return switch (approximate) {
            case "none" -> x -> 0.5 * x * (1 + SpecialFunctions.erf(x / Math.sqrt(2)));
            case "tanh" -> x -> 0.5 * x * (1 + Math.tanh(Math.sqrt(2 / Math.PI) * (x + 0.044715 * x * x * x)));
            default -> throw new IllegalArgumentException("approximate: " + approximate + " (expected: none or tanh)");
        };
    }

    static Tensor prelu(Tensor t, Tensor weight) {
        return sloped(t, weight, (x, slope) -> x > 0 ? x : x * slope);
    }

    /** A function of each element and the slope of all or of its channel. */
    static Tensor sloped(Tensor t, Tensor weight, DoubleBinaryOperator f) {
        Tensor w = weight;
        if (weight.numel() != 1) {
            int channels = t.rank() < 2 ? 1 : t.sizes()[1];
            if (weight.numel() != channels) {
                throw new IllegalArgumentException(
                        "Mismatch of parameter numbers and input channel size. Found parameter numbers = "
                                + weight.numel() + " and channel size = " + channels + ".");
            }
            int[] sizes = new int[Math.max(t.rank(), 1)];
            Arrays.fill(sizes, 1);
            sizes[Math.min(1, sizes.length - 1)] = channels;
            w = TensorViews.reshape(weight, sizes);
        } else {
            w = TensorViews.reshape(weight, new int[0]);
        }
        // Expanded, it would have a say in the order in which the result lies.
        return Pointwise.binary(t.contiguous(MemoryOrder.suggested(t)), w, t.dtype(), f, null);
    }
}
