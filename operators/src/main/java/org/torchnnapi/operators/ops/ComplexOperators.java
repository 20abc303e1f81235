package org.torchnnapi.operators.ops;

import static org.torchnnapi.operators.support.Args.tensor;

import java.util.Arrays;
import java.util.function.DoubleUnaryOperator;
import org.torchnnapi.operators.OperatorFamily;
import org.torchnnapi.operators.support.BroadcastShapes;
import org.torchnnapi.operators.support.Elements;
import org.torchnnapi.operators.support.MemoryOrder;
import org.torchnnapi.operators.support.Pointwise;
import org.torchnnapi.operators.support.Promotion;
import org.torchnnapi.operators.support.Tensors;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.MemoryFormat;
import org.torchnnapi.tensor.Storage;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.OperatorTrait;
import org.torchnnapi.torchscript.value.Complex;

/** Complex tensors: making them, taking them apart, and their arithmetic (in double, rounded to the element type). */
public final class ComplexOperators implements OperatorFamily {
    /** A product, quotient or sum: {a, b} op {c, d} written to {@code out}. */
    private interface Rule {
        void apply(double a, double b, double c, double d, double[] out);
    }

    @Override
    public void register(Registrar r) {
        r.op("aten::complex(Tensor real, Tensor imag) -> Tensor", a -> join(tensor(a, 0), tensor(a, 1)));
        r.op("aten::polar(Tensor abs, Tensor angle) -> Tensor", a -> polar(tensor(a, 0), tensor(a, 1)));
        r.op("aten::view_as_real(Tensor(a) self) -> Tensor(a)", a -> viewAsReal(tensor(a, 0)));
        r.op("aten::view_as_complex(Tensor(a) self) -> Tensor(a)", a -> viewAsComplex(tensor(a, 0)));
        r.op(
                "aten::real(Tensor(a) self) -> Tensor(a)",
                a -> tensor(a, 0).dtype().isComplex() ? part(tensor(a, 0), 0) : tensor(a, 0));
        r.op("aten::imag(Tensor(a) self) -> Tensor(a)", a -> part(tensor(a, 0), 1));
        r.op("aten::angle(Tensor self) -> Tensor", a -> angle(tensor(a, 0)));
        r.op("aten::conj(Tensor(a) self) -> Tensor(a)", a -> conj(tensor(a, 0)));
        r.op("aten::conj_physical(Tensor self) -> Tensor", a -> conj(tensor(a, 0)), OperatorTrait.SHARES);
        r.op("aten::resolve_conj(Tensor(a) self) -> Tensor(a)", a -> tensor(a, 0), OperatorTrait.LINEAR);
        r.op("aten::resolve_neg(Tensor(a) self) -> Tensor(a)", a -> tensor(a, 0), OperatorTrait.LINEAR);
        r.op(
                "aten::is_complex(Tensor self) -> bool",
                a -> tensor(a, 0).dtype().isComplex(),
                OperatorTrait.READS_KIND,
                OperatorTrait.READS_GEOMETRY);
    }

    /** Whether an operand makes an operation complex. */
    static boolean applies(Object... operands) {
        return Arrays.stream(operands)
                .anyMatch(o -> o instanceof Complex
                        || o instanceof Tensor t && t.dtype().isComplex());
    }

    static Tensor add(Object a, Object b) {
        return binary(a, b, (p, q, u, v, out) -> {
            out[0] = p + u;
            out[1] = q + v;
        });
    }

    static Tensor multiply(Object a, Object b) {
        return binary(a, b, (p, q, u, v, out) -> {
            out[0] = p * u - q * v;
            out[1] = p * v + q * u;
        });
    }

    static Tensor divide(Object a, Object b) {
        return binary(a, b, (p, q, u, v, out) -> {
            double norm = u * u + v * v;
            out[0] = (p * u + q * v) / norm;
            out[1] = (q * u - p * v) / norm;
        });
    }

    /** By way of the logarithm; small whole exponents are exact enough that way too. */
    static Tensor power(Object base, Object exponent) {
        return binary(base, exponent, (p, q, u, v, out) -> {
            double logarithm = Math.log(Math.hypot(p, q));
            double angle = Math.atan2(q, p);
            boolean zero = p == 0 && q == 0;
            double size = zero ? u == 0 && v == 0 ? 1 : 0 : Math.exp(u * logarithm - v * angle);
            double turn = zero ? 0 : v * logarithm + u * angle;
            out[0] = size * Math.cos(turn);
            out[1] = size * Math.sin(turn);
        });
    }

    private static Tensor binary(Object a, Object b, Rule rule) {
        DType type = Promotion.of(a, b).complex();
        Tensor x = Tensors.operand(a, DType.COMPLEX128);
        Tensor y = Tensors.operand(b, DType.COMPLEX128);
        int[] sizes = BroadcastShapes.shape(x.sizes(), y.sizes());
        Tensor out = Tensors.strided(DType.COMPLEX128, sizes, MemoryOrder.resultStrides(sizes, x, y), null);
        double[] p = x.storage().doubleArray();
        double[] q = y.storage().doubleArray();
        double[] z = out.storage().doubleArray();
        double[] pair = new double[2];
        BroadcastShapes.loop(
                (n, at, step) -> {
                    for (int i = 0; i < n; i++) {
                        int k = 2 * (at[1] + i * step[1]);
                        int l = 2 * (at[2] + i * step[2]);
                        rule.apply(p[k], p[k + 1], q[l], q[l + 1], pair);
                        z[2 * (at[0] + i * step[0])] = pair[0];
                        z[2 * (at[0] + i * step[0]) + 1] = pair[1];
                    }
                },
                out,
                BroadcastShapes.expand(x, sizes),
                BroadcastShapes.expand(y, sizes));
        return Elements.cast(out, type);
    }

    /** Interleaved parts of a complex tensor in row-major order, as doubles. */
    static double[] parts(Tensor t) {
        return Elements.cast(t, DType.COMPLEX128)
                .contiguous()
                .copy(MemoryFormat.CONTIGUOUS)
                .storage()
                .doubleArray();
    }

    /** A complex tensor of interleaved parts. */
    static Tensor ofParts(double[] parts, DType type, int... sizes) {
        return Elements.cast(Tensor.of(DType.COMPLEX128, parts, sizes), type);
    }

    private static Tensor join(Tensor real, Tensor imaginary) {
        int[] sizes = BroadcastShapes.shape(real.sizes(), imaginary.sizes());
        double[] x = Elements.doubles(BroadcastShapes.expand(real, sizes));
        double[] y = Elements.doubles(BroadcastShapes.expand(imaginary, sizes));
        double[] out = new double[2 * x.length];
        for (int i = 0; i < x.length; i++) {
            out[2 * i] = x[i];
            out[2 * i + 1] = y[i];
        }
        return Tensors.ordered(ofParts(out, real.dtype().complex(), sizes), real, imaginary);
    }

    private static Tensor polar(Tensor radius, Tensor angle) {
        int[] sizes = BroadcastShapes.shape(radius.sizes(), angle.sizes());
        double[] r = Elements.doubles(BroadcastShapes.expand(radius, sizes));
        double[] phi = Elements.doubles(BroadcastShapes.expand(angle, sizes));
        double[] out = new double[2 * r.length];
        for (int i = 0; i < r.length; i++) {
            out[2 * i] = r[i] * Math.cos(phi[i]);
            out[2 * i + 1] = r[i] * Math.sin(phi[i]);
        }
        return Tensors.ordered(ofParts(out, radius.dtype().complex(), sizes), radius, angle);
    }

    static Tensor viewAsReal(Tensor t) {
        if (!t.dtype().isComplex()) {
            throw new IllegalArgumentException("view_as_real is only supported for complex tensors");
        }
        int[] sizes = Arrays.copyOf(t.sizes(), t.rank() + 1);
        int[] strides = Arrays.stream(Arrays.copyOf(t.strides(), t.rank() + 1))
                .map(s -> 2 * s)
                .toArray();
        sizes[t.rank()] = 2;
        strides[t.rank()] = 1;
        return new Tensor(Storage.of(t.dtype().part(), t.storage().array()), 2 * t.offset(), sizes, strides, null);
    }

    private static Tensor viewAsComplex(Tensor t) {
        int last = t.rank() - 1;
        boolean fits = last >= 0 && t.sizes()[last] == 2 && t.strides()[last] == 1 && t.offset() % 2 == 0;
        for (int d = 0; d < last; d++) {
            fits &= t.strides()[d] % 2 == 0;
        }
        if (!fits) {
            throw new IllegalArgumentException(
                    "view_as_complex: " + t + " (expected: a last dimension of 2 with stride 1)");
        }
        int[] strides =
                Arrays.stream(Arrays.copyOf(t.strides(), last)).map(s -> s / 2).toArray();
        return new Tensor(
                Storage.of(t.dtype().complex(), t.storage().array()),
                t.offset() / 2,
                Arrays.copyOf(t.sizes(), last),
                strides,
                null);
    }

    /** A view of the real (0) or imaginary (1) part. */
    static Tensor part(Tensor t, int which) {
        Tensor parts = viewAsReal(t);
        return parts.asStrided(t.sizes(), Arrays.copyOf(parts.strides(), t.rank()), parts.offset() + which);
    }

    private static Tensor angle(Tensor t) {
        if (!t.dtype().isComplex()) {
            return Pointwise.unary(t, x -> Double.isNaN(x) ? x : x < 0 ? Math.PI : 0);
        }
        double[] z = parts(t);
        double[] out = new double[z.length / 2];
        Arrays.setAll(out, i -> Math.atan2(z[2 * i + 1], z[2 * i]));
        return Tensors.ordered(Elements.ofDoubles(t.dtype().part(), out, t.sizes()), t);
    }

    static Tensor conj(Tensor t) {
        if (!t.dtype().isComplex()) {
            return t;
        }
        double[] z = parts(t);
        for (int i = 1; i < z.length; i += 2) {
            z[i] = -z[i];
        }
        return Tensors.ordered(ofParts(z, t.dtype(), t.sizes()), t);
    }

    /** Absolute value, negation, square or direction, told apart by what {@code f} makes of some numbers. */
    static Tensor absOrNegative(Tensor t, DoubleUnaryOperator f) {
        double[] z = parts(t);
        if (f.applyAsDouble(-1) == 1 && f.applyAsDouble(1) == 1 && f.applyAsDouble(2) == 2) {
            double[] out = new double[z.length / 2];
            Arrays.setAll(out, i -> Math.hypot(z[2 * i], z[2 * i + 1]));
            return Tensors.ordered(Elements.ofDoubles(t.dtype().part(), out, t.sizes()), t);
        }
        if (f.applyAsDouble(2) == -2) {
            Arrays.setAll(z, i -> -z[i]);
            return Tensors.ordered(ofParts(z, t.dtype(), t.sizes()), t);
        }
        if (f.applyAsDouble(3) == 9) {
            return multiply(t, t);
        }
        if (f.applyAsDouble(-3) == -1 && f.applyAsDouble(0.5) == 1) {
            return ComplexFunctions.map(t, (x, y, out) -> {
                double size = Math.hypot(x, y);
                out[0] = size == 0 ? 0 : x / size;
                out[1] = size == 0 ? 0 : y / size;
            });
        }
        throw new IllegalArgumentException(
                "dtype: " + t.dtype().torchName() + " (expected: a real type for this function)");
    }
}
