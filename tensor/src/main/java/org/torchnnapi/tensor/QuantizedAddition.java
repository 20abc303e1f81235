package org.torchnnapi.tensor;

/**
 * The sum of two 8-bit quantized numbers in fixed point, as PyTorch's QNNPACK computes it bit for bit: both scales,
 * divided by the result's, become integers of 22 bits at most; their sum is shifted right and rounded, halves away from
 * zero (facts from QNNPACK's add parameters and its scalar kernel).
 */
public final class QuantizedAddition {
    private static final int BITS = 21;
    /** QNNPACK takes ratios of scales in this range only. */
    private static final float LEAST_RATIO = 0x1p-14f;

    private static final float GREATEST_RATIO = 0x1p+8f;

    private final long multiplierA;
    private final long multiplierB;
    private final long offset;
    private final int shift;

    private QuantizedAddition(long multiplierA, long multiplierB, long offset, int shift) {
        this.multiplierA = multiplierA;
        this.multiplierB = multiplierB;
        this.offset = offset;
        this.shift = shift;
    }

    /** The addition, or null where a scale is too far from the result's for this method. */
    public static QuantizedAddition of(
            double scaleA, int zeroPointA, double scaleB, int zeroPointB, double resultScale) {
        float ratioA = (float) scaleA / (float) resultScale;
        float ratioB = (float) scaleB / (float) resultScale;
        if (!(ratioA >= LEAST_RATIO && ratioA < GREATEST_RATIO && ratioB >= LEAST_RATIO && ratioB < GREATEST_RATIO)) {
            return null;
        }
        int shift = BITS - Math.getExponent(Math.max(ratioA, ratioB));
        long a = (long) Math.rint(Math.scalb(ratioA, shift));
        long b = (long) Math.rint(Math.scalb(ratioB, shift));
        return new QuantizedAddition(a, b, -(a * zeroPointA + b * zeroPointB), shift);
    }

    /** The sum in steps of the result, before its zero point is added and it is clamped. */
    public long steps(long a, long b) {
        long sum = a * multiplierA + b * multiplierB + offset;
        long mask = (1L << shift) - 1;
        long remainder = (sum & mask) - (sum < 0 ? 1 : 0);
        return (sum >> shift) + (remainder > mask >> 1 ? 1 : 0);
    }
}
