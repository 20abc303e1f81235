package org.torchnnapi.operators.ops;

import org.torchnnapi.operators.support.Tensors;
import org.torchnnapi.tensor.Tensor;

/**
 * Functions of complex numbers, in double and rounded to the element type. Cuts lie where C99 and PyTorch have them;
 * the inverse functions go by the logarithm, since that is the definition.
 */
final class ComplexFunctions {
    /** Beyond this the hyperbolic tangent of the real part is one in double. */
    private static final double TANH_LIMIT = 20;

    static final Function EXP = (x, y, out) -> polar(Math.exp(x), y, out);
    static final Function LOG = (x, y, out) -> set(out, Math.log(Math.hypot(x, y)), Math.atan2(y, x));
    static final Function SQRT = ComplexFunctions::sqrt;
    static final Function RECIPROCAL = (x, y, out) -> {
        double norm = x * x + y * y;
        set(out, x / norm, -y / norm);
    };
    static final Function SIN = (x, y, out) -> set(out, Math.sin(x) * Math.cosh(y), Math.cos(x) * Math.sinh(y));
    static final Function COS = (x, y, out) -> set(out, Math.cos(x) * Math.cosh(y), -Math.sin(x) * Math.sinh(y));
    static final Function SINH = (x, y, out) -> set(out, Math.sinh(x) * Math.cos(y), Math.cosh(x) * Math.sin(y));
    static final Function COSH = (x, y, out) -> set(out, Math.cosh(x) * Math.cos(y), Math.sinh(x) * Math.sin(y));
    static final Function TANH = ComplexFunctions::tanh;
    static final Function ASINH = ComplexFunctions::asinh;
    static final Function ATANH = ComplexFunctions::atanh;
    static final Function TAN = turned(TANH);
    static final Function ASIN = turned(ASINH);
    static final Function ATAN = turned(ATANH);
    static final Function ACOS = (x, y, out) -> {
        ASIN.apply(x, y, out);
        set(out, Math.PI / 2 - out[0], -out[1]);
    };
    static final Function ACOSH = ComplexFunctions::acosh;
    static final Function SIGMOID = EXP.of((x, y, out) -> set(out, -x, -y))
            .then((x, y, out) -> set(out, 1 + x, y))
            .then(RECIPROCAL);

    private ComplexFunctions() {}

    /** A function of {@code x + iy}; writes the parts of its value. */
    @FunctionalInterface
    interface Function {
        void apply(double x, double y, double[] out);

        default Function then(Function next) {
            return (x, y, out) -> {
                apply(x, y, out);
                next.apply(out[0], out[1], out);
            };
        }

        default Function of(Function before) {
            return before.then(this);
        }

        default Function times(double factor) {
            return then((x, y, out) -> set(out, factor * x, factor * y));
        }
    }

    /** Applied to every element. */
    static Tensor map(Tensor t, Function f) {
        double[] parts = ComplexOperators.parts(t);
        double[] out = new double[2];
        for (int i = 0; i < parts.length; i += 2) {
            f.apply(parts[i], parts[i + 1], out);
            parts[i] = out[0];
            parts[i + 1] = out[1];
        }
        return Tensors.ordered(ComplexOperators.ofParts(parts, t.dtype(), t.sizes()), t);
    }

    /** {@code -i f(iz)}: the circular function of a hyperbolic one. */
    private static Function turned(Function f) {
        return (x, y, out) -> {
            f.apply(-y, x, out);
            set(out, out[1], -out[0]);
        };
    }

    private static void set(double[] out, double x, double y) {
        out[0] = x;
        out[1] = y;
    }

    private static void polar(double size, double angle, double[] out) {
        set(out, size * Math.cos(angle), angle == 0 ? angle : size * Math.sin(angle));
    }

    private static void sqrt(double x, double y, double[] out) {
        double half = Math.sqrt((Math.abs(x) + Math.hypot(x, y)) / 2);
        if (half == 0) {
            set(out, 0, y);
        } else if (x >= 0) {
            set(out, half, y / (2 * half));
        } else {
            set(out, Math.abs(y) / (2 * half), Math.copySign(half, y));
        }
    }

    private static void tanh(double x, double y, double[] out) {
        if (Math.abs(x) > TANH_LIMIT) {
            set(out, Math.signum(x), 2 * Math.sin(2 * y) * Math.exp(-2 * Math.abs(x)));
            return;
        }
        double norm = Math.cosh(2 * x) + Math.cos(2 * y);
        set(out, Math.sinh(2 * x) / norm, Math.sin(2 * y) / norm);
    }

    /** Odd, and without cancellation only on the right. */
    private static void asinh(double x, double y, double[] out) {
        double sign = x < 0 || x == 0 && y < 0 ? -1 : 1;
        double a = sign * x;
        double b = sign * y;
        sqrt(a * a - b * b + 1, 2 * a * b, out);
        LOG.apply(a + out[0], b + out[1], out);
        set(out, sign * out[0], sign * out[1]);
    }

    private static void acosh(double x, double y, double[] out) {
        sqrt(x + 1, y, out);
        double p = out[0];
        double q = out[1];
        sqrt(x - 1, y, out);
        LOG.apply(x + p * out[0] - q * out[1], y + p * out[1] + q * out[0], out);
    }

    private static void atanh(double x, double y, double[] out) {
        LOG.apply(1 + x, y, out);
        double p = out[0];
        double q = out[1];
        LOG.apply(1 - x, -y, out);
        set(out, (p - out[0]) / 2, (q - out[1]) / 2);
    }
}
