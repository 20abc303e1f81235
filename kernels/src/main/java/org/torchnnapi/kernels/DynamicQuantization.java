package org.torchnnapi.kernels;

import java.util.Arrays;
import org.torchnnapi.kernels.internal.DynamicKernels;

/**
 * Quantization parameters for floats whose range is found when they come (PyTorch's ChooseQuantizationParams,
 * quant_utils.h): {@code real = (byte - zeroPoint) * scale}.
 */
public record DynamicQuantization(double scale, int zeroPoint) {
    /** Below this a scale is raised, so that its reciprocal stays usable in half precision. */
    private static final float SMALL_SCALE = 6.1e-5f;

    private static final double SCALE_OF_NOTHING = 0.1;

    /**
     * Parameters that cover a range and zero with the integers {@code least} to {@code greatest}.
     *
     * @param low the least of the floats
     * @param high the greatest of the floats
     */
    public static DynamicQuantization of(float low, float high, long least, long greatest) {
        float min = Math.min(low, 0);
        float max = Math.max(high, 0);
        double scale = ((double) max - min) / (greatest - least);
        if ((float) scale == 0 || Float.isInfinite(1 / (float) scale) || Double.isNaN(scale)) {
            scale = SCALE_OF_NOTHING;
        }
        if (scale < SMALL_SCALE) {
            float original = (float) scale;
            scale = SMALL_SCALE;
            if (min == 0) {
                max = SMALL_SCALE * (greatest - least);
            } else if (max == 0) {
                min = -SMALL_SCALE * (greatest - least);
            } else {
                float amplifier = SMALL_SCALE / original;
                min *= amplifier;
                max *= amplifier;
            }
        }
        double fromMin = least - min / scale;
        double fromMax = greatest - max / scale;
        double errorOfMin = Math.abs(least) - Math.abs(min / scale);
        double errorOfMax = Math.abs(greatest) - Math.abs(max / scale);
        double zeroPoint = errorOfMin < errorOfMax ? fromMin : fromMax;
        return new DynamicQuantization(scale, (int) Math.max(least, Math.min(greatest, Math.rint(zeroPoint))));
    }

    /** Writes the least and the greatest of some floats, and of zero, to {@code out}. */
    public static void range(float[] in, int inOffset, int count, float[] out, int outOffset) {
        Check.room("input", in.length, inOffset, count);
        Check.room("output", out.length, outOffset, 2);
        DynamicKernels.chosen().range(in, inOffset, count, out, outOffset);
    }

    /**
     * Rows of floats as unsigned bytes, by PyTorch's rounding; see {@link DynamicProduct#rowBytes} for how they lie.
     * What fills a row's last bytes is 0.
     *
     * @throws IllegalArgumentException if the floats' range was not finite
     */
    public void quantize(float[] in, int inOffset, byte[] out, int outOffset, int rows, int width) {
        int row = DynamicProduct.rowBytes(width);
        if (row == width) {
            Quantizing.quantize(
                    in,
                    inOffset,
                    out,
                    outOffset,
                    rows * width,
                    (float) scale,
                    zeroPoint,
                    false,
                    Quantizing.Rule.PRODUCT_HALF_EVEN);
            return;
        }
        Check.room("output", out.length, outOffset, (long) rows * row);
        for (int r = 0; r < rows; r++) {
            int at = outOffset + r * row;
            Quantizing.quantize(
                    in,
                    inOffset + r * width,
                    out,
                    at,
                    width,
                    (float) scale,
                    zeroPoint,
                    false,
                    Quantizing.Rule.PRODUCT_HALF_EVEN);
            Arrays.fill(out, at + width, at + row, (byte) 0);
        }
    }
}
