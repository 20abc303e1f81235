package org.torchnnapi.operators.support;

import java.util.Arrays;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Half;
import org.torchnnapi.tensor.MemoryFormat;
import org.torchnnapi.tensor.Storage;
import org.torchnnapi.tensor.Tensor;

/** Elements of a tensor as primitive arrays, and back with the rounding and wrapping of the target type. */
public final class Elements {
    private Elements() {}

    /** Reads entries of an array as doubles. */
    @FunctionalInterface
    public interface DoubleReader {
        double get(int at);
    }

    /** Writes doubles as entries of an array. */
    @FunctionalInterface
    public interface DoubleWriter {
        void set(int at, double value);
    }

    /** Reads entries of an array as longs. */
    @FunctionalInterface
    public interface LongReader {
        long get(int at);
    }

    /** Writes longs as entries of an array. */
    @FunctionalInterface
    public interface LongWriter {
        void set(int at, long value);
    }

    public static DoubleReader doubleReader(DType type, Object array) {
        return switch (type) {
            case FLOAT32 -> {
                float[] a = (float[]) array;
                yield i -> a[i];
            }
            case FLOAT64 -> {
                double[] a = (double[]) array;
                yield i -> a[i];
            }
            case FLOAT16 -> {
                short[] a = (short[]) array;
                yield i -> Half.toFloat(a[i]);
            }
            case BFLOAT16 -> {
                short[] a = (short[]) array;
                yield i -> Half.bfloatToFloat(a[i]);
            }
            case COMPLEX32, COMPLEX64, COMPLEX128 -> {
                DoubleReader parts = doubleReader(type.part(), array);
                yield i -> parts.get(2 * i);
            }
            default -> {
                LongReader r = longReader(type, array);
                yield i -> r.get(i);
            }
        };
    }

    public static LongReader longReader(DType type, Object array) {
        return switch (type) {
            case UINT8, QUINT8, QUINT4X2 -> {
                byte[] a = (byte[]) array;
                yield i -> a[i] & 0xFF;
            }
            case INT8, QINT8, BOOL -> {
                byte[] a = (byte[]) array;
                yield i -> a[i];
            }
            case INT16 -> {
                short[] a = (short[]) array;
                yield i -> a[i];
            }
            case INT32, QINT32 -> {
                int[] a = (int[]) array;
                yield i -> a[i];
            }
            case INT64 -> {
                long[] a = (long[]) array;
                yield i -> a[i];
            }
            default -> {
                DoubleReader r = doubleReader(type, array);
                yield i -> (long) r.get(i);
            }
        };
    }

    public static DoubleWriter doubleWriter(DType type, Object array) {
        return switch (type) {
            case FLOAT32 -> {
                float[] a = (float[]) array;
                yield (i, v) -> a[i] = (float) v;
            }
            case FLOAT64 -> {
                double[] a = (double[]) array;
                yield (i, v) -> a[i] = v;
            }
            case FLOAT16 -> {
                short[] a = (short[]) array;
                yield (i, v) -> a[i] = Half.fromFloat((float) v);
            }
            case BFLOAT16 -> {
                short[] a = (short[]) array;
                yield (i, v) -> a[i] = Half.bfloatFromFloat((float) v);
            }
            case COMPLEX32, COMPLEX64, COMPLEX128 -> {
                DoubleWriter parts = doubleWriter(type.part(), array);
                yield (i, v) -> {
                    parts.set(2 * i, v);
                    parts.set(2 * i + 1, 0);
                };
            }
            case BOOL -> {
                byte[] a = (byte[]) array;
                yield (i, v) -> a[i] = (byte) (v != 0 ? 1 : 0);
            }
            default -> {
                LongWriter w = longWriter(type, array);
                yield type == DType.INT64 ? (i, v) -> w.set(i, toLong(v)) : (i, v) -> w.set(i, toInt(v));
            }
        };
    }

    /**
     * The whole part; the least long where there is none or it does not fit, as processors of PyTorch's servers have
     * it.
     */
    public static long toLong(double value) {
        return value >= Long.MIN_VALUE && value < -(double) Long.MIN_VALUE ? (long) value : Long.MIN_VALUE;
    }

    /** The same of an int, of which narrower types take the low bits. */
    private static int toInt(double value) {
        return value > Integer.MIN_VALUE - 1.0 && value < Integer.MAX_VALUE + 1.0 ? (int) value : Integer.MIN_VALUE;
    }

    public static LongWriter longWriter(DType type, Object array) {
        return switch (type) {
            case UINT8, QUINT8, QUINT4X2, INT8, QINT8 -> {
                byte[] a = (byte[]) array;
                yield (i, v) -> a[i] = (byte) v;
            }
            case BOOL -> {
                byte[] a = (byte[]) array;
                yield (i, v) -> a[i] = (byte) (v != 0 ? 1 : 0);
            }
            case INT16 -> {
                short[] a = (short[]) array;
                yield (i, v) -> a[i] = (short) v;
            }
            case INT32, QINT32 -> {
                int[] a = (int[]) array;
                yield (i, v) -> a[i] = (int) v;
            }
            case INT64 -> {
                long[] a = (long[]) array;
                yield (i, v) -> a[i] = v;
            }
            default -> {
                DoubleWriter w = doubleWriter(type, array);
                yield (i, v) -> w.set(i, v);
            }
        };
    }

    /**
     * Elements in row-major order; a fresh array unless the tensor is dense float64, so callers must not write to it.
     */
    public static double[] doubles(Tensor t) {
        Tensor dense = t.contiguous();
        int n = Math.toIntExact(dense.numel());
        int from = dense.offset();
        if (dense.dtype() == DType.FLOAT64 && from == 0 && dense.storage().length() == n) {
            return dense.storage().doubleArray();
        }
        double[] out = new double[n];
        if (dense.dtype() == DType.FLOAT32) {
            float[] a = dense.storage().floatArray();
            for (int i = 0; i < n; i++) {
                out[i] = a[from + i];
            }
        } else {
            DoubleReader r = doubleReader(dense.dtype(), dense.storage().array());
            for (int i = 0; i < n; i++) {
                out[i] = r.get(from + i);
            }
        }
        return out;
    }

    /** Elements in row-major order as floats; possibly the tensor's own array, so callers must not write to it. */
    public static float[] floats(Tensor t) {
        Tensor dense = cast(t, DType.FLOAT32).contiguous();
        float[] a = dense.storage().floatArray();
        int n = (int) dense.numel();
        return dense.offset() == 0 && a.length == n ? a : part(a, dense.offset(), n);
    }

    /** A view without elements may begin behind the end of its storage. */
    private static float[] part(float[] a, int from, int n) {
        return n == 0 ? new float[0] : Arrays.copyOfRange(a, from, from + n);
    }

    private static long[] part(long[] a, int from, int n) {
        return n == 0 ? new long[0] : Arrays.copyOfRange(a, from, from + n);
    }

    /** Elements in row-major order, truncated; possibly the tensor's own array, so callers must not write to it. */
    public static long[] longs(Tensor t) {
        Tensor dense = t.contiguous();
        int n = Math.toIntExact(dense.numel());
        int from = dense.offset();
        if (dense.dtype() == DType.INT64) {
            long[] a = dense.storage().longArray();
            return from == 0 && a.length == n ? a : part(a, from, n);
        }
        long[] out = new long[n];
        LongReader r = longReader(dense.dtype(), dense.storage().array());
        for (int i = 0; i < n; i++) {
            out[i] = r.get(from + i);
        }
        return out;
    }

    /** A row-major tensor of values rounded to {@code type}. */
    public static Tensor ofDoubles(DType type, double[] values, int... sizes) {
        if (type == DType.FLOAT64) {
            return Tensor.of(type, values, sizes);
        }
        Tensor out = Tensor.zeros(type, sizes);
        DoubleWriter w = doubleWriter(type, out.storage().array());
        for (int i = 0; i < values.length; i++) {
            w.set(i, values[i]);
        }
        return out;
    }

    /** A row-major tensor of values wrapped to {@code type}. */
    public static Tensor ofLongs(DType type, long[] values, int... sizes) {
        if (type == DType.INT64) {
            return Tensor.of(type, values, sizes);
        }
        Tensor out = Tensor.zeros(type, sizes);
        LongWriter w = longWriter(type, out.storage().array());
        for (int i = 0; i < values.length; i++) {
            w.set(i, values[i]);
        }
        return out;
    }

    /**
     * The tensor itself if it has that type, otherwise a converted copy with the same order of dimensions in memory.
     * Quantized tensors convert by their integers only to their own type.
     */
    public static Tensor cast(Tensor t, DType type) {
        DType from = t.dtype();
        if (from == type) {
            return t;
        }
        if (from.isQuantized() || type.isQuantized()) {
            throw new IllegalArgumentException("dtype: " + from.torchName() + " to " + type.torchName()
                    + " (expected: quantize or dequantize instead of a conversion)");
        }
        Tensor source = MemoryOrder.isDense(t) ? t : t.copy(MemoryFormat.CONTIGUOUS);
        int n = Math.toIntExact(source.numel());
        Storage storage = Tensors.allocate(type, n);
        convert(from, source.storage().array(), source.offset(), type, storage.array(), n);
        return new Tensor(storage, 0, source.sizes(), source.strides(), null);
    }

    private static void convert(DType from, Object a, int at, DType to, Object b, int n) {
        if (from.isComplex() && to.isComplex()) {
            convert(from.part(), a, 2 * at, to.part(), b, 2 * n);
        } else if (from.isIntegral() && to.isIntegral()) {
            LongReader r = longReader(from, a);
            LongWriter w = longWriter(to, b);
            for (int i = 0; i < n; i++) {
                w.set(i, r.get(at + i));
            }
        } else {
            DoubleReader r = doubleReader(from, a);
            DoubleWriter w = doubleWriter(to, b);
            for (int i = 0; i < n; i++) {
                w.set(i, r.get(at + i));
            }
        }
    }
}
