package org.torchnnapi.execution.tracing.lower;

import java.util.Arrays;
import org.torchnnapi.kernels.Clamp;
import org.torchnnapi.kernels.ImageLayout;
import org.torchnnapi.kernels.Pooling.Kind;
import org.torchnnapi.kernels.Pooling.Window;
import org.torchnnapi.kernels.Rounding;
import org.torchnnapi.operators.support.Args;
import org.torchnnapi.operators.support.MemoryOrder;
import org.torchnnapi.operators.support.PoolingWindows;
import org.torchnnapi.operators.support.QuantizedAverages;
import org.torchnnapi.operators.support.QuantizedMath;
import org.torchnnapi.program.Op;
import org.torchnnapi.program.ValueType;
import org.torchnnapi.program.op.ConcatenationOp;
import org.torchnnapi.program.op.PoolOp;
import org.torchnnapi.program.op.QuantizedPoolOp;
import org.torchnnapi.program.op.ReshapeOp;
import org.torchnnapi.program.op.SliceOp;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.MemoryFormat;
import org.torchnnapi.tensor.Tensor;

/** Pooling of batches of images and sequences, and adaptive averages over equal windows; float32 and bytes. */
final class PoolingLowering implements LoweringFamily {
    /** So many that float32 arithmetic cannot take a mean for one half way between two bytes. */
    private static final int MOST_BYTES = 1 << 12;
    /** Of unequal ones along a dimension, each of which is two steps; more are cheaper in one loop over all. */
    private static final int MOST_WINDOWS = 64;

    @Override
    public void register(Registrar r) {
        for (int d = 1; d <= 2; d++) {
            int n = d;
            r.add(
                    "aten::max_pool" + d + "d",
                    (lowered, node, a) -> sliding(lowered, a, n, Kind.MAX, Args.ints(a, 4, n), Args.flag(a, 5)));
            r.add("aten::avg_pool" + d + "d", (lowered, node, a) -> average(lowered, a, n));
            r.add("aten::adaptive_avg_pool" + d + "d", (lowered, node, a) -> adaptive(lowered, a, n));
        }
        r.add("aten::_adaptive_avg_pool2d", (lowered, node, a) -> adaptive(lowered, a, 2));
    }

    private static Tensor average(Lowered lowered, Object[] a, int n) {
        Tensor t = images(a, n);
        boolean ceil = Args.flag(a, 4);
        boolean padded = Arrays.stream(Args.ints(a, 3, n)).anyMatch(p -> p != 0);
        boolean qnnpack = QuantizedAverages.isQnnpackSliding(t, n, ceil);
        Support.require(a.length < 7 || a[6] == null || qnnpack, "no divisor");
        if (t.dtype() != DType.FLOAT32) {
            Support.require(n == 2 && (qnnpack || !ceil && (!padded || Args.flag(a, 5))), "windows of one size");
            Support.require(qnnpack || isPlain(elements(Args.ints(a, 1, n))), "windows whose means round alike");
        }
        return sliding(
                lowered,
                a,
                n,
                padded && (qnnpack || Args.flag(a, 5)) ? Kind.AVERAGE_WITH_PADDING : Kind.AVERAGE,
                filled(n, 1),
                ceil);
    }

    private static long elements(int[] kernel) {
        return Arrays.stream(kernel).asLongStream().reduce(1, Math::multiplyExact);
    }

    /**
     * Whether the mean of so many bytes is their quotient rounded once. Of an even number it may lie half way between
     * two bytes, where the operator's float32 factor decides; that of a power of two is exact.
     */
    static boolean isPlain(long count) {
        return count < MOST_BYTES && (count % 2 == 1 || Long.bitCount(count) == 1);
    }

    private static Tensor sliding(Lowered lowered, Object[] a, int n, Kind kind, int[] dilation, boolean ceil) {
        Tensor t = images(a, n);
        int[] kernel = Args.ints(a, 1, n);
        int[] stride = Args.ints(a, 2).length == 0 ? kernel : Args.ints(a, 2, n);
        int[] padding = Args.ints(a, 3, n);
        int[] sizes = PoolingWindows.sliding(t, kernel, stride, padding, dilation, ceil)
                .resultSizes();
        return pool(
                lowered,
                t,
                n,
                kind,
                sizes,
                kernel,
                stride,
                padding,
                dilation,
                QuantizedAverages.isQnnpackSliding(t, n, ceil));
    }

    private static Tensor adaptive(Lowered lowered, Object[] a, int n) {
        Tensor t = images(a, n);
        int[] wanted = Args.ints(a, 1, n);
        int[] sizes = t.sizes().clone();
        int[] kernel = new int[n];
        for (int i = 0; i < n; i++) {
            Support.require(wanted[i] >= 1, "at least one window");
            if (t.size(2 + i) % wanted[i] != 0) {
                return uneven(lowered, Support.floats(a, 0), wanted);
            }
            kernel[i] = t.size(2 + i) / wanted[i];
            sizes[2 + i] = wanted[i];
        }
        if (t.dtype() != DType.FLOAT32) {
            Support.require(
                    n == 2 && (QuantizedAverages.isQnnpackAdaptive(t, wanted) || isPlain(elements(kernel))),
                    "windows whose means round alike");
        }
        return pool(
                lowered,
                t,
                n,
                Kind.AVERAGE,
                sizes,
                kernel,
                kernel,
                new int[n],
                filled(n, 1),
                QuantizedAverages.isQnnpackAdaptive(t, wanted));
    }

    /**
     * Windows of unequal size: along each dimension the mean of each window by itself, one dimension after the other,
     * so that a NaN or an infinity comes into the windows that have it and no others.
     */
    private static Tensor uneven(Lowered lowered, Tensor t, int[] wanted) {
        Tensor out = t;
        for (int d = t.rank() - 1; d >= 2; d--) {
            int windows = wanted[d - 2];
            int size = out.size(d);
            if (size % windows == 0) {
                out = means(lowered, out, d, size / windows);
                continue;
            }
            Support.require(windows <= MOST_WINDOWS, "equal windows, or few");
            Tensor[] parts = new Tensor[windows];
            for (int w = 0; w < windows; w++) {
                int first = (int) ((long) w * size / windows);
                int end = (int) (((w + 1L) * size + windows - 1) / windows);
                parts[w] = means(lowered, part(lowered, out, d, first, end), d, end - first);
            }
            out = lowered.compute(new ConcatenationOp(d), Support.inFormatOf(t, with(out.sizes(), d, windows)), parts);
        }
        return out;
    }

    private static Tensor part(Lowered lowered, Tensor t, int d, int first, int end) {
        ValueType type = ValueType.floats(t.sizes());
        return lowered.compute(
                SliceOp.of(type, d, first, end), Support.inFormatOf(t, with(t.sizes(), d, end - first)), t);
    }

    /** Means of so many neighbors along one dimension. */
    private static Tensor means(Lowered lowered, Tensor t, int d, int count) {
        int n = t.rank() - 2;
        int[] kernel = with(filled(n, 1), d - 2, count);
        return pool(
                lowered,
                t,
                n,
                Kind.AVERAGE,
                with(t.sizes(), d, t.size(d) / count),
                kernel,
                kernel,
                new int[n],
                filled(n, 1),
                false);
    }

    private static int[] with(int[] sizes, int d, int size) {
        int[] changed = sizes.clone();
        changed[d] = size;
        return changed;
    }

    private static Tensor images(Object[] a, int n) {
        Tensor t = Args.tensor(a, 0);
        Support.require(
                t.rank() == n + 2 && (t.dtype() == DType.FLOAT32 || Support.isBytes(t)), "a batch of float32 or bytes");
        return t;
    }

    /** @param qnnpack whether QNNPACK computes it, channels last */
    private static Tensor pool(
            Lowered lowered,
            Tensor t,
            int n,
            Kind kind,
            int[] sizes,
            int[] kernel,
            int[] stride,
            int[] padding,
            int[] dilation,
            boolean qnnpack) {
        int last = n - 1;
        boolean flat = n == 1;
        int[] image = flat ? flat(t.sizes()) : t.sizes();
        int[] made = flat ? flat(sizes) : sizes;
        int padH = flat ? 0 : padding[0];
        Window window = new Window(
                image[1],
                image[2],
                image[3],
                made[2],
                made[3],
                flat ? 1 : kernel[0],
                kernel[last],
                flat ? 1 : stride[0],
                stride[last],
                flat ? 1 : dilation[0],
                dilation[last],
                padH,
                padding[last],
                padH,
                padding[last]);
        Op op = op(t, kind, window, qnnpack);
        if (!flat) {
            return lowered.compute(op, qnnpack ? ofQnnpack(t, sizes) : Support.inFormatOf(t, sizes), t);
        }
        Tensor in = lowered.compute(new ReshapeOp(image), Lowered.tensor(t.dtype(), t.quantization(), image), t);
        Tensor out = lowered.compute(op, Lowered.tensor(t.dtype(), t.quantization(), made), in);
        return lowered.compute(new ReshapeOp(sizes), Lowered.tensor(t.dtype(), t.quantization(), sizes), out);
    }

    /** In the images' format; what lies in both keeps the strides that QNNPACK gave it. */
    private static Tensor ofQnnpack(Tensor t, int... sizes) {
        Tensor channelsLast = Lowered.tensor(t.dtype(), t.quantization(), MemoryFormat.CHANNELS_LAST, sizes);
        return channelsLast.isContiguous(MemoryOrder.suggested(t)) ? channelsLast : Support.inFormatOf(t, sizes);
    }

    private static Op op(Tensor t, Kind kind, Window window, boolean qnnpack) {
        if (t.dtype() == DType.FLOAT32) {
            return new PoolOp(kind, window, ImageLayout.NCHW, Clamp.NONE);
        }
        boolean average = kind != Kind.MAX;
        // The kernels for channels-last images round distances from the zero point, the others bytes.
        boolean aboveZeroPoint = qnnpack || t.rank() == 4 && t.isContiguous(MemoryFormat.CHANNELS_LAST);
        float factor = average && qnnpack
                ? QuantizedAverages.qnnpackFactor(
                        QuantizedMath.perTensor(t).scale(), window.kernelH() * window.kernelW())
                : 0;
        return new QuantizedPoolOp(
                kind,
                window,
                ImageLayout.NCHW,
                Rounding.HALF_EVEN,
                average && aboveZeroPoint,
                (int) QuantizedMath.least(t.dtype()),
                (int) QuantizedMath.greatest(t.dtype()),
                factor);
    }

    private static int[] flat(int[] sizes) {
        return new int[] {sizes[0], sizes[1], 1, sizes[2]};
    }

    private static int[] filled(int n, int value) {
        int[] all = new int[n];
        Arrays.fill(all, value);
        return all;
    }
}
