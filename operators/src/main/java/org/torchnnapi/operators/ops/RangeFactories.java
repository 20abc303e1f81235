package org.torchnnapi.operators.ops;

import static org.torchnnapi.operators.support.Args.dtypeOr;
import static org.torchnnapi.operators.support.Args.int32;
import static org.torchnnapi.operators.support.Args.integer;
import static org.torchnnapi.operators.support.Args.real;
import static org.torchnnapi.operators.support.Args.scalar;

import java.util.function.LongUnaryOperator;
import org.torchnnapi.operators.OperatorFamily;
import org.torchnnapi.operators.support.ElementRounding;
import org.torchnnapi.operators.support.Elements;
import org.torchnnapi.operators.support.Tensors;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.tensor.platform.FusedMultiplyAdd;
import org.torchnnapi.torchscript.value.Complex;

/** Sequences of numbers: arange, linspace, logspace, range. */
public final class RangeFactories implements OperatorFamily {
    /**
     * Bytes in a vector of PyTorch's AVX2 loops, which take two vectors at a time and leave the rest to plain loops.
     */
    private static final int VECTOR = 32;

    @Override
    public void register(Registrar r) {
        r.op(
                "aten::arange(Scalar end, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, "
                        + "bool? pin_memory=None) -> Tensor",
                a -> arange(0L, scalar(a, 0), 1L, dtypeOr(a, 1, null)));
        r.op(
                "aten::arange.start(Scalar start, Scalar end, *, ScalarType? dtype=None, Layout? layout=None, "
                        + "Device? device=None, bool? pin_memory=None) -> Tensor",
                a -> arange(scalar(a, 0), scalar(a, 1), 1L, dtypeOr(a, 2, null)));
        r.op(
                "aten::arange.start_step(Scalar start, Scalar end, Scalar step=1, *, ScalarType? dtype=None, "
                        + "Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
                a -> arange(scalar(a, 0), scalar(a, 1), scalar(a, 2), dtypeOr(a, 3, null)));
        r.op(
                "aten::tril_indices(int row, int col, int offset=0, *, ScalarType? dtype=4, Layout? layout=None, "
                        + "Device? device=None, "
                        + "bool? pin_memory=None) -> Tensor",
                a -> triangle(int32(a, 0), int32(a, 1), integer(a, 2), true, dtypeOr(a, 3, DType.INT64)));
        r.op(
                "aten::triu_indices(int row, int col, int offset=0, *, ScalarType? dtype=4, Layout? layout=None, "
                        + "Device? device=None, "
                        + "bool? pin_memory=None) -> Tensor",
                a -> triangle(int32(a, 0), int32(a, 1), integer(a, 2), false, dtypeOr(a, 3, DType.INT64)));
        r.op(
                "aten::linspace(Scalar start, Scalar end, int steps, *, ScalarType? dtype=None, Layout? layout=None, "
                        + "Device? device=None, bool? pin_memory=None) -> Tensor",
                a -> spaced(a, 3, (start, end, type) -> linspace(start, end, integer(a, 2), type)));
        r.op(
                "aten::logspace(Scalar start, Scalar end, int steps, float base=10., *, ScalarType? dtype=None, "
                        + "Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
                a -> a[0] instanceof Complex || a[1] instanceof Complex
                        ? ComplexOperators.power(
                                real(a, 3),
                                spaced(
                                        new Object[] {a[0], a[1], a[2], a[4]},
                                        3,
                                        (start, end, type) -> linspace(start, end, integer(a, 2), type)))
                        : logspace(real(a, 0), real(a, 1), integer(a, 2), real(a, 3), dtypeOr(a, 4, DType.FLOAT32)));
    }

    private static Tensor arange(Object given, Object givenEnd, Object givenStep, DType wanted) {
        // 64-bit numbers count in whole steps. Narrower whole ones take as many elements as the real bounds have, but
        // step by whole numbers.
        Object start = wanted == DType.INT64 ? (Object) ((long) number(given)) : given;
        Object end = wanted == DType.INT64 ? (Object) ((long) number(givenEnd)) : givenEnd;
        Object step = wanted == DType.INT64 ? (Object) ((long) number(givenStep)) : givenStep;
        boolean whole = start instanceof Long && end instanceof Long && step instanceof Long;
        DType type = wanted != null ? wanted : whole ? DType.INT64 : DType.FLOAT32;
        double from = number(start);
        double by = number(step);
        double to = number(end);
        if (by == 0 || Double.isNaN(by)) {
            throw new IllegalArgumentException("step must be nonzero");
        }
        if (!Double.isFinite(from) || !Double.isFinite(to)) {
            throw new IllegalArgumentException("unsupported range: " + start + " -> " + end);
        }
        if (by > 0 ? to < from : to > from) {
            throw new IllegalArgumentException("upper bound and larger bound inconsistent with step sign");
        }
        if (whole) {
            long first = (Long) start;
            long stride = (Long) step;
            // Real numbers do not tell all whole ones of 64 bits apart.
            long way = (Long) end - first;
            int count = count(
                    Math.abs(to - from) < 1L << 62
                            ? way / stride + (way % stride == 0 ? 0 : 1)
                            : Math.ceil((to - from) / by));
            Tensor out = Tensors.empty(type, count);
            Elements.LongWriter longs =
                    type.isIntegral() ? Elements.longWriter(type, out.storage().array()) : null;
            Elements.DoubleWriter doubles =
                    longs == null ? Elements.doubleWriter(type, out.storage().array()) : null;
            for (int i = 0; i < count; i++) {
                if (longs != null) {
                    longs.set(i, first + i * stride);
                } else {
                    doubles.set(i, first + (double) i * stride);
                }
            }
            return out;
        }
        int count = count(Math.ceil((to - from) / by));
        Tensor out = Tensors.empty(type, count);
        if (type.isIntegral()) {
            if ((long) by == 0) {
                throw new IllegalArgumentException("step must be nonzero");
            }
            Elements.LongWriter writer = Elements.longWriter(type, out.storage().array());
            for (int i = 0; i < count; i++) {
                writer.set(i, (long) from + (long) by * i);
            }
            return out;
        }
        Elements.DoubleWriter writer = Elements.doubleWriter(type, out.storage().array());
        // Float ranges step in the element type, as PyTorch's kernel does.
        boolean single = type == DType.FLOAT32;
        for (int i = 0; i < count; i++) {
            writer.set(i, single ? (float) from + (float) by * i : from + by * i);
        }
        return out;
    }

    private static int count(double size) {
        if (!(size < Integer.MAX_VALUE - 8)) {
            throw new IllegalArgumentException(
                    "range of " + size + " elements (expected: at most what one tensor holds)");
        }
        return (int) size;
    }

    private static double number(Object value) {
        return value instanceof Long l ? l : value instanceof Double d ? d : value instanceof Boolean b && b ? 1 : 0;
    }

    /** The first element of the vector that PyTorch's loop makes element {@code i} in, or -1 if it makes it alone. */
    private static int vectorOf(int i, int count, DType type) {
        int width = VECTOR / type.bytes();
        return i < count - count % (2 * width) ? i - i % width : -1;
    }

    /** Vectors count up from their first element, which one fused multiply-add computes from the nearer end. */
    private static float singleStep(float start, float end, float step, int count, int i) {
        int first = vectorOf(i, count, DType.FLOAT32);
        if (first < 0) {
            return i < count / 2 || count == 1 ? start + step * i : end - step * (count - i - 1);
        }
        float base = first < count / 2
                ? FusedMultiplyAdd.multiplyAdd(step, first, start)
                : FusedMultiplyAdd.multiplyAdd(-step, count - first - 1, end);
        return base + step * (i - first);
    }

    /** Vectors of whole numbers begin at a whole number. */
    private static long wholeStep(double start, double end, double step, int count, int i, DType type) {
        int first = vectorOf(i, count, type);
        long base = (long) doubleStep(start, end, step, count, first < 0 ? i : first);
        return first < 0 ? base : (long) (base + step * (i - first));
    }

    /** The second half is computed from the end, so that both ends are exact. */
    private static double doubleStep(double start, double end, double step, int count, int i) {
        return i < count / 2 || count == 1 ? start + step * i : end - step * (count - i - 1);
    }

    private interface Line {
        Tensor make(double start, double end, DType type);
    }

    /** A line between real or complex ends, of the latter in both parts. */
    private static Tensor spaced(Object[] a, int dtype, Line line) {
        if (!(a[0] instanceof Complex) && !(a[1] instanceof Complex)) {
            return line.make(real(a, 0), real(a, 1), dtypeOr(a, dtype, DType.FLOAT32));
        }
        DType type = dtypeOr(a, dtype, DType.COMPLEX64);
        if (!type.isComplex()) {
            throw new IllegalArgumentException(
                    "linspace: complex ends with dtype " + type.torchName() + " (expected: a complex dtype, or none)");
        }
        DType part = type.part();
        return ComplexParts.join(
                line.make(part(a[0], true), part(a[1], true), part),
                line.make(part(a[0], false), part(a[1], false), part),
                type);
    }

    private static double part(Object number, boolean real) {
        return number instanceof Complex c ? real ? c.real() : c.imaginary() : real ? number(number) : 0;
    }

    private static Tensor linspace(double from, double to, long steps, DType type) {
        // The ends have the element type, as in PyTorch.
        double start = type.isIntegral() ? (long) from : from;
        double end = type.isIntegral() ? (long) to : to;
        if (steps < 0) {
            throw new IllegalArgumentException("number of steps must be non-negative");
        }
        int count = count(steps);
        Tensor out = Tensors.empty(type, count);
        Elements.DoubleWriter writer = Elements.doubleWriter(type, out.storage().array());
        boolean single = type == DType.FLOAT32;
        double step =
                count > 1 ? single ? ((float) end - (float) start) / (count - 1) : (end - start) / (count - 1) : 0;
        for (int i = 0; i < count; i++) {
            writer.set(
                    i,
                    single
                            ? singleStep((float) start, (float) end, (float) step, count, i)
                            : type.isIntegral()
                                    ? wholeStep(start, end, step, count, i, type)
                                    : doubleStep(start, end, step, count, i));
        }
        return out;
    }

    /** Powers along a line between the ends as the element type holds them. */
    private static Tensor logspace(double from, double to, long steps, double base, DType type) {
        double start = type.isIntegral() ? (long) from : ElementRounding.to(type, from);
        double end = type.isIntegral() ? (long) to : ElementRounding.to(type, to);
        double[] values =
                Elements.doubles(linspace(start, end, steps, DType.FLOAT64)).clone();
        for (int i = 0; i < values.length; i++) {
            values[i] = Math.pow(base, values[i]);
        }
        return Elements.ofDoubles(type, values, values.length);
    }

    /** Rows, then columns, of the places on and below the diagonal, or on and above it, row by row. */
    private static Tensor triangle(int rows, int columns, long offset, boolean lower, DType type) {
        // Of a row, columns from..to-1.
        LongUnaryOperator from = row -> lower ? 0 : Math.max(0, Math.min(columns, row + offset));
        LongUnaryOperator to = row -> lower ? Math.max(0, Math.min(columns, row + offset + 1)) : columns;
        // The rows that have some.
        long first = lower ? Math.max(0, -offset) : 0;
        long end = lower ? rows : Math.min(rows, columns - offset);
        long count = 0;
        for (long row = first; row < end && count < Integer.MAX_VALUE; row++) {
            count += to.applyAsLong(row) - from.applyAsLong(row);
        }
        long[] both = new long[Tensors.count(2, (int) Math.min(count, Integer.MAX_VALUE))];
        int at = 0;
        for (long row = first; at < count; row++) {
            for (long column = from.applyAsLong(row); column < to.applyAsLong(row); column++) {
                both[at] = row;
                both[(int) count + at++] = column;
            }
        }
        return Elements.ofLongs(type, both, 2, both.length / 2);
    }
}
