package org.torchnnapi.kernels;

/**
 * How the 32-bit sums of a quantized kernel become 8-bit outputs. Exactly one of two rules, each bit-exact with its origin:
 * <ul>
 * <li>{@link #fixedPoint}: the NNAPI reference's, a 31-bit fixed-point multiplier and a power-of-two shift, both rounded to
 *     nearest with halves away from zero (gemmlowp's fixedpoint.h: saturating rounding doubling high multiply, then rounding
 *     divide by power of two);</li>
 * <li>{@link #halfEven}: qnnpack's on 64-bit Arm and x86, {@code round_half_even((float) sum * scale)}.</li>
 * </ul>
 * The zero point is added afterwards and the result limited to [min, max].
 */
public final class Requantization {
    private final float[] scales;
    private final int[] multipliers;
    private final int[] shifts;
    private final int zeroPoint;
    private final int min;
    private final int max;

    private Requantization(float[] scales, int[] multipliers, int[] shifts, int zeroPoint, int min, int max) {
        if (min > max || min < -128 || max > 255 || max - min > 255) {
            throw new IllegalArgumentException("limits: [" + min + ", " + max + "] (expected: within [0, 255] or [-128, 127])");
        }
        this.scales = scales;
        this.multipliers = multipliers;
        this.shifts = shifts;
        this.zeroPoint = zeroPoint;
        this.min = min;
        this.max = max;
    }

    /**
     * qnnpack's rule.
     *
     * @param scales {@code inputScale * weightScale / outputScale} as float, one for all output channels or one each
     */
    public static Requantization halfEven(float[] scales, int zeroPoint, int min, int max) {
        for (float scale : scales) {
            if (!(scale > 0) || Float.isInfinite(scale)) {
                throw new IllegalArgumentException("scale: " + scale + " (expected: finite and > 0)");
            }
        }
        return new Requantization(scales.clone(), null, null, zeroPoint, min, max);
    }

    /**
     * The NNAPI reference's rule.
     *
     * @param realMultipliers {@code inputScale * filterScale / outputScale}, one for all output channels or one each
     */
    public static Requantization fixedPoint(double[] realMultipliers, int zeroPoint, int min, int max) {
        int[] multipliers = new int[realMultipliers.length];
        int[] shifts = new int[realMultipliers.length];
        for (int i = 0; i < multipliers.length; i++) {
            double real = realMultipliers[i];
            if (!(real >= 0) || Double.isInfinite(real)) {
                throw new IllegalArgumentException("multiplier: " + real + " (expected: finite and >= 0)");
            }
            int exponent = real == 0 ? 0 : Math.getExponent(real) + 1;
            long fixed = Math.round(Math.scalb(real, 31 - exponent));
            if (fixed == 1L << 31) {
                fixed >>= 1;
                exponent++;
            }
            if (exponent < -31) {
                fixed = 0;
                exponent = 0;
            }
            if (exponent > 30) {
                throw new IllegalArgumentException("multiplier: " + real + " (expected: < 2^30)");
            }
            multipliers[i] = (int) fixed;
            shifts[i] = exponent;
        }
        return new Requantization(null, multipliers, shifts, zeroPoint, min, max);
    }

    /** The same rule with zero point and limits that much higher. */
    public Requantization raised(int by) {
        return new Requantization(scales, multipliers, shifts, zeroPoint + by, min + by, max + by);
    }

    /** Whether outputs follow from {@link #multiplier} and {@link #shift}, else from {@link #scale}. */
    public boolean isFixedPoint() {
        return multipliers != null;
    }

    /** How many output channels have their own scale; 1 when all share one. */
    public int channels() {
        return multipliers != null ? multipliers.length : scales.length;
    }

    /** What a sum is multiplied by, where the rule is not of fixed point. */
    public float scale(int channel) {
        return scales[scales.length == 1 ? 0 : channel];
    }

    /** Fixed point in Q0.31. */
    public int multiplier(int channel) {
        return multipliers[multipliers.length == 1 ? 0 : channel];
    }

    /** The power of two that goes with {@link #multiplier}: positive shifts left. */
    public int shift(int channel) {
        return shifts[shifts.length == 1 ? 0 : channel];
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
        return new Requantization(scales, multipliers, shifts, zeroPoint, Math.min(Math.max(min, low), high), Math.min(Math.max(max, low), high));
    }

    /** The output for one sum of one channel. */
    public int apply(int sum, int channel) {
        long scaled = multipliers != null ? scaleFixed(sum, multiplier(channel), shift(channel))
            : (long) Math.rint((float) sum * scale(channel));
        return (int) Math.min(Math.max(scaled + zeroPoint, min), max);
    }

    private static int scaleFixed(int sum, int multiplier, int shift) {
        int widened = shift > 0 ? sum << shift : sum;
        long product = (long) widened * multiplier;
        long nudge = product >= 0 ? 1L << 30 : 1 - (1L << 30);
        int high = (int) ((product + nudge) / (1L << 31));
        if (shift >= 0) {
            return high;
        }
        int mask = (int) ((1L << -shift) - 1);
        int threshold = (mask >>> 1) + (high < 0 ? 1 : 0);
        return (high >> Math.min(-shift, 31)) + ((high & mask) > threshold ? 1 : 0);
    }
}
