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
import org.torchnnapi.program.op.PoolOp;
import org.torchnnapi.program.op.QuantizedPoolOp;
import org.torchnnapi.program.op.ReshapeOp;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.MemoryFormat;
import org.torchnnapi.tensor.Tensor;

/** Pooling of batches of images and sequences, and adaptive averages; float32, and bytes where windows are equal. */
final class PoolingLowering implements LoweringFamily {
    /** So many that float32 arithmetic cannot take a mean for one half way between two bytes. */
    private static final int MOST_BYTES = 1 << 12;

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
        boolean equal = true;
        for (int i = 0; i < n; i++) {
            Support.require(wanted[i] >= 1, "at least one window");
            equal &= t.size(2 + i) % wanted[i] == 0;
            kernel[i] = t.size(2 + i) / wanted[i];
            sizes[2 + i] = wanted[i];
        }
        if (!equal) {
            int[] image = images(Support.floats(a, 0).sizes());
            int[] made = images(sizes);
            return pool(
                    lowered,
                    t,
                    Kind.AVERAGE,
                    sizes,
                    Window.adaptive(image[1], image[2], image[3], made[2], made[3]),
                    false);
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
        int[] image = images(t.sizes());
        int[] made = images(sizes);
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
        return pool(lowered, t, kind, sizes, window, qnnpack);
    }

    private static Tensor pool(Lowered lowered, Tensor t, Kind kind, int[] sizes, Window window, boolean qnnpack) {
        int[] image = images(t.sizes());
        int[] made = images(sizes);
        Op op = op(t, kind, window, qnnpack);
        if (t.rank() == 4) {
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

    /** Of images, or of sequences as images of one row. */
    private static int[] images(int[] sizes) {
        return sizes.length == 4 ? sizes : new int[] {sizes[0], sizes[1], 1, sizes[2]};
    }

    private static int[] filled(int n, int value) {
        int[] all = new int[n];
        Arrays.fill(all, value);
        return all;
    }
}
