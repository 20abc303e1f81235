package org.torchnnapi.operators.support;

import java.util.function.DoubleBinaryOperator;
import java.util.function.DoubleUnaryOperator;
import java.util.function.LongBinaryOperator;
import java.util.function.LongUnaryOperator;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;

/**
 * Element-wise functions with broadcasting. Integers and bool compute in 64-bit integers, float16 and bfloat16 in
 * float32; float32 and float64 functions are evaluated in double and rounded once.
 */
public final class Pointwise {
    private Pointwise() {}

    /** A function of three numbers. */
    @FunctionalInterface
    public interface DoubleTernary {
        double apply(double a, double b, double c);
    }

    /** A test of two reals. */
    @FunctionalInterface
    public interface DoubleTest {
        boolean test(double a, double b);
    }

    /** {@code a + b}. */
    public static final DoubleBinaryOperator SUM = Double::sum;
    /** {@code a * b}. */
    public static final DoubleBinaryOperator PRODUCT = (a, b) -> a * b;

    /** A test of two integers. */
    @FunctionalInterface
    public interface LongTest {
        boolean test(long a, long b);
    }

    /** The type in which values of {@code type} are computed: float32, float64 or int64. */
    public static DType computeType(DType type) {
        return switch (type) {
            case FLOAT16, BFLOAT16, FLOAT32 -> DType.FLOAT32;
            case FLOAT64 -> DType.FLOAT64;
            case UINT8, INT8, INT16, INT32, INT64, BOOL -> DType.INT64;
            default -> throw new IllegalArgumentException("dtype: " + type.torchName() + " (expected: a real type)");
        };
    }

    /** A real function; integers give float32. */
    public static Tensor unary(Tensor a, DoubleUnaryOperator f) {
        return unary(a, Promotion.floating(a.dtype()), f);
    }

    /** A real function with a given result type. */
    public static Tensor unary(Tensor a, DType result, DoubleUnaryOperator f) {
        if (a.dtype().isComplex()) {
            throw new IllegalArgumentException("dtype: " + a.dtype().torchName() + " (expected: a real type)");
        }
        DType compute = result == DType.FLOAT64 || a.dtype() == DType.FLOAT64 ? DType.FLOAT64 : DType.FLOAT32;
        Tensor in = Elements.cast(a, compute);
        Tensor out = Tensors.like(in, compute);
        Object x = in.storage().array();
        Object y = out.storage().array();
        BroadcastShapes.loop(
                (n, at, step) -> {
                    if (x instanceof float[] p) {
                        run(n, f, (float[]) y, at[0], step[0], p, at[1], step[1]);
                    } else {
                        double[] p = (double[]) x;
                        double[] q = (double[]) y;
                        for (int i = 0, o = at[0], k = at[1]; i < n; i++, o += step[0], k += step[1]) {
                            q[o] = f.applyAsDouble(p[k]);
                        }
                    }
                },
                out,
                in);
        return Elements.cast(out, result);
    }

    /** A function of integers. */
    public static Tensor unaryLong(Tensor a, DType result, LongUnaryOperator f) {
        Tensor in = Elements.cast(a, DType.INT64);
        Tensor out = Tensors.like(in, DType.INT64);
        long[] x = in.storage().longArray();
        long[] y = out.storage().longArray();
        BroadcastShapes.loop(
                (n, at, step) -> {
                    for (int i = 0, o = at[0], k = at[1]; i < n; i++, o += step[0], k += step[1]) {
                        y[o] = f.applyAsLong(x[k]);
                    }
                },
                out,
                in);
        return Elements.cast(out, result);
    }

    /**
     * A function of two operands (tensors or numbers) that meet in {@code type}.
     *
     * @param g for integers and bool; null if the type is always floating
     */
    public static Tensor binary(Object a, Object b, DType type, DoubleBinaryOperator f, LongBinaryOperator g) {
        DType compute = computeType(type);
        Tensor x = met(a, type, compute);
        Tensor y = met(b, type, compute);
        int[] sizes = BroadcastShapes.shape(x.sizes(), y.sizes());
        Tensor out = Tensors.strided(compute, sizes, MemoryOrder.resultStrides(sizes, x, y), null);
        Object p = x.storage().array();
        Object q = y.storage().array();
        Object r = out.storage().array();
        BroadcastShapes.loop(
                (n, at, step) -> {
                    int o = at[0];
                    int k = at[1];
                    int l = at[2];
                    if (r instanceof float[] z) {
                        run(n, f, z, o, step[0], (float[]) p, k, step[1], (float[]) q, l, step[2]);
                    } else if (r instanceof double[] z) {
                        double[] u = (double[]) p;
                        double[] v = (double[]) q;
                        for (int i = 0; i < n; i++, o += step[0], k += step[1], l += step[2]) {
                            z[o] = f.applyAsDouble(u[k], v[l]);
                        }
                    } else {
                        long[] z = (long[]) r;
                        long[] u = (long[]) p;
                        long[] v = (long[]) q;
                        for (int i = 0; i < n; i++, o += step[0], k += step[1], l += step[2]) {
                            z[o] = g.applyAsLong(u[k], v[l]);
                        }
                    }
                },
                out,
                expand(x, sizes),
                expand(y, sizes));
        return Elements.cast(out, type);
    }

    /**
     * An operand in the type in which all meet, which wraps whole numbers, and from there in that of the computation.
     */
    private static Tensor met(Object operand, DType type, DType compute) {
        return Tensors.operand(type.isIntegral() ? Tensors.operand(operand, type) : operand, compute);
    }

    private static void run(
            int n, DoubleUnaryOperator f, float[] out, int at, int step, float[] in, int inAt, int inStep) {
        for (int i = 0, o = at, k = inAt; i < n; i++, o += step, k += inStep) {
            out[o] = (float) f.applyAsDouble(in[k]);
        }
    }

    /**
     * Sums and products, of which networks have most, in loops of their own, which become vectors; a float sum or
     * product is the double one rounded.
     */
    private static void run(
            int n,
            DoubleBinaryOperator f,
            float[] out,
            int at,
            int step,
            float[] a,
            int aAt,
            int aStep,
            float[] b,
            int bAt,
            int bStep) {
        boolean dense = step == 1 && aStep == 1 && bStep == 1;
        if (dense && f == SUM) {
            for (int i = 0; i < n; i++) {
                out[at + i] = a[aAt + i] + b[bAt + i];
            }
        } else if (dense && f == PRODUCT) {
            for (int i = 0; i < n; i++) {
                out[at + i] = a[aAt + i] * b[bAt + i];
            }
        } else {
            for (int i = 0, o = at, k = aAt, l = bAt; i < n; i++, o += step, k += aStep, l += bStep) {
                out[o] = (float) f.applyAsDouble(a[k], b[l]);
            }
        }
    }

    /** A test of two operands that meet by type promotion; the result is bool. */
    public static Tensor compare(Object a, Object b, DoubleTest f, LongTest g) {
        DType type = Promotion.of(a, b);
        DType compute = computeType(type);
        Tensor x = met(a, type, compute);
        Tensor y = met(b, type, compute);
        int[] sizes = BroadcastShapes.shape(x.sizes(), y.sizes());
        Tensor out = Tensors.strided(DType.BOOL, sizes, MemoryOrder.resultStrides(sizes, x, y), null);
        byte[] z = out.storage().byteArray();
        Object p = x.storage().array();
        Object q = y.storage().array();
        Elements.DoubleReader u = Elements.doubleReader(compute, p);
        Elements.DoubleReader v = Elements.doubleReader(compute, q);
        BroadcastShapes.loop(
                (n, at, step) -> {
                    int o = at[0];
                    int k = at[1];
                    int l = at[2];
                    for (int i = 0; i < n; i++, o += step[0], k += step[1], l += step[2]) {
                        boolean holds =
                                p instanceof long[] s ? g.test(s[k], ((long[]) q)[l]) : f.test(u.get(k), v.get(l));
                        z[o] = (byte) (holds ? 1 : 0);
                    }
                },
                out,
                expand(x, sizes),
                expand(y, sizes));
        return out;
    }

    /** A function of three operands of one floating or integer type, computed in double. */
    public static Tensor ternary(Object a, Object b, Object c, DType type, DoubleTernary f) {
        Tensor x = Tensors.operand(a, DType.FLOAT64);
        Tensor y = Tensors.operand(b, DType.FLOAT64);
        Tensor z = Tensors.operand(c, DType.FLOAT64);
        int[] sizes = BroadcastShapes.shape(x.sizes(), y.sizes(), z.sizes());
        Tensor out = Tensors.strided(DType.FLOAT64, sizes, MemoryOrder.resultStrides(sizes, x, y, z), null);
        double[] p = x.storage().doubleArray();
        double[] q = y.storage().doubleArray();
        double[] r = z.storage().doubleArray();
        double[] w = out.storage().doubleArray();
        BroadcastShapes.loop(
                (n, at, step) -> {
                    for (int i = 0; i < n; i++) {
                        w[at[0] + i * step[0]] =
                                f.apply(p[at[1] + i * step[1]], q[at[2] + i * step[2]], r[at[3] + i * step[3]]);
                    }
                },
                out,
                expand(x, sizes),
                expand(y, sizes),
                expand(z, sizes));
        return Elements.cast(out, type);
    }

    private static Tensor expand(Tensor t, int[] sizes) {
        return BroadcastShapes.expand(t, sizes);
    }
}
