package org.torchnnapi.kernels;

/**
 * How the 32-bit sums of a quantized kernel become 8-bit outputs, to the bit as QNNPACK on 64-bit Arm and x86:
 * {@code round_half_even((float) sum * scale)}, plus the zero point, limited to [min, max].
 */
public final class Requantization {
    private final float[] scales;
    private final int zeroPoint;
    private final int min;
    private final int max;

    private Requantization(float[] scales, int zeroPoint, int min, int max) {
        if (min > max || min < -128 || max > 255 || max - min > 255) {
            throw new IllegalArgumentException(
                    "limits: [" + min + ", " + max + "] (expected: within [0, 255] or [-128, 127])");
        }
        this.scales = scales;
        this.zeroPoint = zeroPoint;
        this.min = min;
        this.max = max;
    }

    /**
     * The rule.
     *
     * @param scales {@code inputScale * weightScale / outputScale} as float, one for all output channels or one each
     */
    public static Requantization halfEven(float[] scales, int zeroPoint, int min, int max) {
        for (float scale : scales) {
            if (!(scale > 0) || Float.isInfinite(scale)) {
                throw new IllegalArgumentException("scale: " + scale + " (expected: finite and > 0)");
            }
        }
        return new Requantization(scales.clone(), zeroPoint, min, max);
    }

    /** The same rule with zero point and limits that much higher. */
    public Requantization raised(int by) {
        return new Requantization(scales, zeroPoint + by, min + by, max + by);
    }

    /** How many output channels have their own scale; 1 when all share one. */
    public int channels() {
        return scales.length;
    }

    /** What a sum is multiplied by. */
    public float scale(int channel) {
        return scales[scales.length == 1 ? 0 : channel];
    }

    public int zeroPoint() {
        return zeroPoint;
    }

    public int min() {
        return min;
    }

    public int max() {
        return max;
    }

    /** This one with its outputs limited once more. */
    public Requantization limited(int low, int high) {
        return new Requantization(
                scales, zeroPoint, Math.min(Math.max(min, low), high), Math.min(Math.max(max, low), high));
    }

    /** The output for one sum of one channel. */
    public int apply(int sum, int channel) {
        long scaled = (long) Math.rint((float) sum * scale(channel));
        return (int) Math.min(Math.max(scaled + zeroPoint, min), max);
    }
}
