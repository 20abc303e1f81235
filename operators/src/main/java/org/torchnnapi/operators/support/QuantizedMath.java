package org.torchnnapi.operators.support;

import java.util.Arrays;
import java.util.function.UnaryOperator;
import org.torchnnapi.kernels.KernelPool;
import org.torchnnapi.kernels.Quantizing;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.MemoryFormat;
import org.torchnnapi.tensor.Quantization;
import org.torchnnapi.tensor.Shape;
import org.torchnnapi.tensor.Storage;
import org.torchnnapi.tensor.Tensor;

/** Quantized tensors: real values, integers, and operators that compute on real values in between. */
public final class QuantizedMath {
    /** Elements that pay for a thread. */
    private static final int SHARE = 1 << 12;

    private QuantizedMath() {}

    /** Least integer of a quantized type. */
    public static long least(DType type) {
        return switch (type) {
            case QUINT8, QUINT4X2 -> 0;
            case QINT8 -> -128;
            default -> Integer.MIN_VALUE;
        };
    }

    /** Greatest integer of a quantized type. */
    public static long greatest(DType type) {
        return switch (type) {
            case QUINT8 -> 255;
            case QUINT4X2 -> 15;
            case QINT8 -> 127;
            default -> Integer.MAX_VALUE;
        };
    }

    /**
     * The per-tensor parameters.
     *
     * @throws IllegalArgumentException if the tensor is not quantized per tensor
     */
    public static Quantization.PerTensor perTensor(Tensor t) {
        if (t.quantization() instanceof Quantization.PerTensor q) {
            return q;
        }
        throw new IllegalArgumentException("tensor: " + t + " (expected: quantized per tensor)");
    }

    /** The integer for a real value: nearest (ties to even) of {@code value / scale}, plus the zero point, clamped. */
    public static long integer(double value, float inverseScale, long zeroPoint, DType type) {
        float steps = (float) value * inverseScale;
        // A NaN becomes the least integer, as the conversion on x86 makes it.
        double q = Double.isNaN(steps) ? Double.NEGATIVE_INFINITY : Math.rint((float) (zeroPoint + Math.rint(steps)));
        return (long) Math.max(least(type), Math.min(greatest(type), q));
    }

    /** Quantizes real values; the order of dimensions in memory is kept. */
    public static Tensor quantize(Tensor real, Quantization quantization, DType type) {
        return quantize(real, quantization, type, Tensors::allocate);
    }

    /** As {@link #quantize(Tensor, Quantization, DType)}, with the memory from elsewhere where one scale serves all. */
    public static Tensor quantize(Tensor real, Quantization quantization, DType type, ImageCopies.Memory memory) {
        Tensor in = Elements.cast(real, DType.FLOAT32);
        if (quantization instanceof Quantization.PerChannel c) {
            return quantizePerChannel(in.contiguous(), c, type);
        }
        Quantization.PerTensor q = (Quantization.PerTensor) quantization;
        Tensor out = new Tensor(
                memory.allocate(type, in.numel()), 0, in.sizes(), MemoryOrder.resultStrides(in.sizes(), in), q);
        float inverse = 1f / (float) q.scale();
        float[] x = in.storage().floatArray();
        Elements.LongWriter w = Elements.longWriter(type, out.storage().array());
        byte[] bytes = out.storage().array() instanceof byte[] array && hasKernel(q, type) ? array : null;
        BroadcastShapes.loop(
                (n, at, step) -> {
                    if (bytes != null && step[0] == 1 && step[1] == 1) {
                        quantize(x, at[1], bytes, at[0], n, q, type);
                        return;
                    }
                    for (int i = 0; i < n; i++) {
                        w.set(at[0] + i * step[0], integer(x[at[1] + i * step[1]], inverse, q.zeroPoint(), type));
                    }
                },
                out,
                in);
        return out;
    }

    private static void quantize(
            float[] x, int from, byte[] bytes, int to, int count, Quantization.PerTensor q, DType type) {
        KernelPool.shared().run((count + SHARE - 1) / SHARE, (begin, end) -> {
            int first = begin * SHARE;
            int length = Math.min(end * SHARE, count) - first;
            Quantizing.quantize(
                    x,
                    from + first,
                    bytes,
                    to + first,
                    length,
                    (float) q.scale(),
                    q.zeroPoint(),
                    type == DType.QINT8,
                    Quantizing.Rule.PRODUCT_HALF_EVEN);
        });
    }

    /** Kernels take what can be told apart in bytes. */
    private static boolean hasKernel(Quantization.PerTensor q, DType type) {
        float scale = (float) q.scale();
        return scale > 0 && Float.isFinite(scale) && q.zeroPoint() >= least(type) && q.zeroPoint() <= greatest(type);
    }

    private static Tensor quantizePerChannel(Tensor in, Quantization.PerChannel q, DType type) {
        Tensor out = Tensors.strided(type, in.sizes(), in.strides(), q);
        float[] x = in.storage().floatArray();
        Elements.LongWriter w = Elements.longWriter(type, out.storage().array());
        int inner = 1;
        for (int d = q.axis() + 1; d < in.rank(); d++) {
            inner *= in.sizes()[d];
        }
        int channels = q.scales().length;
        for (int i = 0; i < in.numel(); i++) {
            int c = i / inner % channels;
            double value = x[in.offset() + i];
            long integer;
            if (q.floatQParams()) {
                double steps = Math.rint(value * (1f / (float) q.scales()[c]) + q.zeroPoints()[c]);
                integer = (long) Math.max(least(type), Math.min(greatest(type), steps));
            } else {
                integer = integer(value, 1f / (float) q.scales()[c], (long) q.zeroPoints()[c], type);
            }
            w.set(i, integer);
        }
        return out;
    }

    /** Real values in float32, with the order of dimensions kept; a tensor that is not quantized is only converted. */
    public static Tensor dequantize(Tensor t) {
        if (!t.dtype().isQuantized()) {
            return Elements.cast(t, DType.FLOAT32);
        }
        if (t.quantization() instanceof Quantization.PerChannel c) {
            return dequantizePerChannel(t.contiguous(), c);
        }
        Quantization.PerTensor q = perTensor(t);
        Tensor out = Tensors.strided(DType.FLOAT32, t.sizes(), MemoryOrder.resultStrides(t.sizes(), t), null);
        float scale = (float) q.scale();
        if (t.storage().array() instanceof byte[] bytes
                && hasKernel(q, t.dtype())
                && Arrays.equals(t.strides(), out.strides())) {
            Quantizing.dequantize(
                    bytes,
                    t.offset(),
                    out.storage().floatArray(),
                    0,
                    out.storage().length(),
                    scale,
                    q.zeroPoint(),
                    t.dtype() == DType.QINT8);
            return out;
        }
        Elements.LongReader r = Elements.longReader(t.dtype(), t.storage().array());
        float[] y = out.storage().floatArray();
        BroadcastShapes.loop(
                (n, at, step) -> {
                    for (int i = 0; i < n; i++) {
                        y[at[0] + i * step[0]] = (r.get(at[1] + i * step[1]) - q.zeroPoint()) * scale;
                    }
                },
                out,
                t);
        return out;
    }

    private static Tensor dequantizePerChannel(Tensor t, Quantization.PerChannel q) {
        Tensor out = Tensors.empty(DType.FLOAT32, t.sizes());
        float[] y = out.storage().floatArray();
        Elements.LongReader r = Elements.longReader(t.dtype(), t.storage().array());
        int inner = 1;
        for (int d = q.axis() + 1; d < t.rank(); d++) {
            inner *= t.sizes()[d];
        }
        for (int i = 0; i < y.length; i++) {
            int c = i / inner % q.scales().length;
            y[i] = ((float) r.get(t.offset() + i) - (float) q.zeroPoints()[c]) * (float) q.scales()[c];
        }
        return out;
    }

    /** The integers as a tensor of the plain type of that width. */
    public static Tensor integers(Tensor t) {
        DType type = switch (t.dtype()) {
            case QUINT8 -> DType.UINT8;
            case QINT8 -> DType.INT8;
            case QINT32 -> DType.INT32;
            default -> throw new IllegalArgumentException("tensor: " + t + " (expected: quantized)");
        };
        return retyped(t.copy(MemoryOrder.suggested(t)), type, null);
    }

    /** The same dense memory seen as another type of that width. */
    public static Tensor retyped(Tensor dense, DType type, Quantization quantization) {
        return new Tensor(
                Storage.of(type, dense.storage().array()),
                dense.offset(),
                dense.sizes(),
                dense.strides(),
                quantization);
    }

    /**
     * Applies an operator that commutes with scaling, such as a mean, to the integers less the zero point. Ties are
     * rounded as PyTorch's kernels round them, which no scale has disturbed.
     */
    public static Tensor throughIntegers(Tensor t, UnaryOperator<Tensor> operator) {
        Quantization.PerTensor own = perTensor(t);
        Quantization.PerTensor unit = new Quantization.PerTensor(1, own.zeroPoint());
        return quantize(operator.apply(dequantize(t.withQuantization(unit))), unit, t.dtype())
                .withQuantization(own);
    }

    /**
     * Applies an operator on real values to a quantized tensor and quantizes the result with the tensor's own
     * parameters.
     */
    public static Tensor through(Tensor t, UnaryOperator<Tensor> operator) {
        return quantize(operator.apply(dequantize(t)), perTensor(t), t.dtype());
    }

    /**
     * Limits real values to a range. PyTorch makes a quint8 result row-major but writes it in the order in which the
     * input lies in memory: a channels-last input comes out with its elements moved. Models were tuned on these
     * results, so they are reproduced.
     */
    public static Tensor clamp(Tensor t, double least, double greatest) {
        Tensor clamped = through(t, x -> Pointwise.unary(x, v -> Math.min(greatest, Math.max(least, v))));
        boolean bothLimits = !Double.isInfinite(least) && !Double.isInfinite(greatest);
        if (!bothLimits || t.dtype() != DType.QUINT8 || t.isContiguous() || !MemoryOrder.isDense(t)) {
            return clamped;
        }
        Tensor inOrder = clamped.permute(MemoryOrder.order(t)).copy(MemoryFormat.CONTIGUOUS);
        return inOrder.asStrided(t.sizes(), Shape.contiguousStrides(t.sizes()), 0);
    }

    /** A row-major copy of the integers. */
    public static int[] ints(Tensor t) {
        Tensor dense = t.contiguous(MemoryFormat.CONTIGUOUS);
        Elements.LongReader r =
                Elements.longReader(dense.dtype(), dense.storage().array());
        int[] out = new int[Math.toIntExact(dense.numel())];
        for (int i = 0; i < out.length; i++) {
            out[i] = (int) r.get(dense.offset() + i);
        }
        return out;
    }
}
