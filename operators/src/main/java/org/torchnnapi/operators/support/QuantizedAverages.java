package org.torchnnapi.operators.support;

import java.util.Arrays;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.MemoryFormat;
import org.torchnnapi.tensor.Quantization;
import org.torchnnapi.tensor.Shape;
import org.torchnnapi.tensor.Tensor;

/**
 * Means of the windows of quantized images and volumes. PyTorch 1.13 has five kernels for them, and each rounds the
 * quotient of the exact sum of integers at other places (native/quantized/cpu: AveragePool2d.cpp,
 * AdaptiveAveragePooling.cpp, kernels/QuantizedOpKernels.cpp and QNNPACK's average-pooling.c, on x86 with AVX2): which
 * one runs hangs on the element type, on the order in memory and on the rounding of sizes. What differs is means that
 * lie half way between two integers.
 */
public final class QuantizedAverages {
    /** Channels that an AVX2 register holds as 32-bit numbers. */
    private static final int LANES = 8;

    /** The integer for the mean of a window. */
    @FunctionalInterface
    private interface Rule {
        /**
         * @param sum of the integers inside
         * @param inside how many they are
         * @param area how many with the padding
         * @param channel which one it is
         */
        double mean(long sum, int inside, long area, int channel);
    }

    private final Tensor input;
    private final PoolingWindows windows;
    private final int dimensions;
    private final float scale;
    private final int zeroPoint;

    private QuantizedAverages(Tensor input, PoolingWindows windows, int dimensions) {
        Quantization.PerTensor q = QuantizedMath.perTensor(input);
        this.input = input;
        this.windows = windows;
        this.dimensions = dimensions;
        scale = (float) q.scale();
        zeroPoint = q.zeroPoint();
    }

    /**
     * Whether QNNPACK takes the average of sliding windows; it divides by the whole kernel, padding included, and works
     * channels last.
     */
    public static boolean isQnnpackSliding(Tensor t, int dimensions, boolean ceil) {
        return dimensions == 2 && t.dtype() == DType.QUINT8 && t.rank() == 4 && !ceil;
    }

    /** Whether QNNPACK takes the average of windows that divide the image evenly. */
    public static boolean isQnnpackAdaptive(Tensor t, int[] sizes) {
        if (sizes.length != 2 || t.dtype() != DType.QUINT8 || t.rank() != 4 || sizes[0] == 0 || sizes[1] == 0) {
            return false;
        }
        boolean same = t.size(2) == sizes[0] && t.size(3) == sizes[1];
        return !same && t.size(2) % sizes[0] == 0 && t.size(3) % sizes[1] == 0;
    }

    /** Whether QNNPACK takes a mean over these dimensions: of images' height and width, counted from the front. */
    public static boolean isQnnpackMean(Tensor t, long[] dims) {
        return t.dtype() == DType.QUINT8
                && t.rank() == 4
                && dims != null
                && dims.length == 2
                && dims[0] == 2
                && dims[1] == 3;
    }

    /** What QNNPACK multiplies the sum of {@code count} distances from the zero point by. */
    public static float qnnpackFactor(double scale, int count) {
        return (float) scale / ((float) scale * count);
    }

    /**
     * Averages of sliding windows over two or three dimensions.
     *
     * @param divisor what to divide by instead, or null
     */
    public static Tensor sliding(
            Tensor t, PoolingWindows windows, int[] kernel, boolean ceil, boolean countPadding, Long divisor) {
        QuantizedAverages averages = new QuantizedAverages(t, windows, kernel.length);
        if (isQnnpackSliding(t, kernel.length, ceil)) {
            return asGiven(t, averages.compute(averages.qnnpack(kernel[0] * kernel[1]), MemoryFormat.CHANNELS_LAST));
        }
        Rule rule;
        if (kernel.length == 3 || averages.isChannelsLast()) {
            int whole = t.dtype() == DType.QINT32 ? 0 : t.size(-kernel.length - 1) / LANES * LANES;
            rule = (sum, inside, area, channel) -> {
                float factor = 1f / (divisor != null ? divisor : countPadding ? area : inside);
                return averages.aboveZero(sum, inside, channel < whole ? factor : 1 / (1 / factor));
            };
        } else {
            rule = (sum, inside, area, channel) -> {
                float factor = (float) (1.0 / (divisor != null ? divisor : countPadding ? area : inside));
                return Math.rint((float) (sum - (long) inside * averages.zeroPoint) * factor + averages.zeroPoint);
            };
        }
        return averages.compute(
                rule, kernel.length == 3 && t.rank() == 5 ? MemoryFormat.CHANNELS_LAST_3D : averages.ownFormat());
    }

    /** Averages of windows that divide images or volumes into {@code sizes} parts. */
    public static Tensor adaptive(Tensor t, PoolingWindows windows, int[] sizes) {
        QuantizedAverages averages = new QuantizedAverages(t, windows, sizes.length);
        if (isQnnpackAdaptive(t, sizes)) {
            return asGiven(
                    t,
                    averages.compute(
                            averages.qnnpack(t.size(2) / sizes[0] * (t.size(3) / sizes[1])),
                            MemoryFormat.CHANNELS_LAST));
        }
        if (averages.isChannelsLast()) {
            return averages.compute(
                    (sum, inside, area, channel) -> averages.aboveZero(sum, inside, 1 / (1 / (1f / area))),
                    averages.ownFormat());
        }
        return averages.compute(
                (sum, inside, area, channel) -> Math.rint((float) sum * windows.shareInside()),
                MemoryFormat.CONTIGUOUS);
    }

    /** What QNNPACK made channels last, in the input's memory format; where it is in both, its strides stay. */
    public static Tensor asGiven(Tensor input, Tensor channelsLast) {
        return channelsLast.contiguous(MemoryOrder.suggested(input));
    }

    private Rule qnnpack(int count) {
        float factor = qnnpackFactor(scale, count);
        return (sum, inside, area, channel) -> aboveZero(sum, inside, factor);
    }

    private double aboveZero(long sum, int inside, float factor) {
        return Math.rint((float) (sum - (long) inside * zeroPoint) * factor) + zeroPoint;
    }

    private boolean isChannelsLast() {
        return input.rank() == 4 && input.isContiguous(MemoryFormat.CHANNELS_LAST)
                || input.rank() == 5 && input.isContiguous(MemoryFormat.CHANNELS_LAST_3D);
    }

    private MemoryFormat ownFormat() {
        return isChannelsLast() ? MemoryOrder.suggested(input) : MemoryFormat.CONTIGUOUS;
    }

    private Tensor compute(Rule rule, MemoryFormat format) {
        int[] integers = QuantizedMath.ints(input);
        Tensor out = Tensors.empty(input.dtype(), windows.resultSizes());
        Elements.LongWriter write =
                Elements.longWriter(input.dtype(), out.storage().array());
        int plane = Math.max(
                1, (int) Shape.numel(Arrays.copyOfRange(input.sizes(), input.rank() - dimensions, input.rank())));
        int channels = Math.max(1, input.size(-dimensions - 1));
        long least = QuantizedMath.least(input.dtype());
        long greatest = QuantizedMath.greatest(input.dtype());
        long[] sum = new long[1];
        int[] inside = new int[1];
        windows.forEach((from, at, result) -> {
            sum[0] = 0;
            inside[0] = 0;
            windows.forEachInside(position -> {
                sum[0] += integers[from + position];
                inside[0]++;
            });
            double mean = rule.mean(sum[0], inside[0], windows.paddedCount(), from / plane % channels);
            write.set(result, (long) Math.max(least, Math.min(greatest, mean)));
        });
        Tensor quantized = out.withQuantization(input.quantization());
        return format == MemoryFormat.CONTIGUOUS ? quantized : quantized.copy(format);
    }
}
