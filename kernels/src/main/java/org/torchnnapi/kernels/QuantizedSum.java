package org.torchnnapi.kernels;

import org.torchnnapi.kernels.internal.QuantizedSumKernel;

/**
 * Element-wise sum (or difference) of two quantized runs of bytes, by either of two rules, each bit-exact with its
 * origin. Planned once.
 */
public final class QuantizedSum implements ByteEpilogue {
    private static final int BITS = 21;
    /** QNNPACK takes ratios of scales from here to {@link #RATIO_END} only. */
    private static final float LEAST_RATIO = 0x1p-14f;

    private static final float RATIO_END = 0x1p+8f;

    private final boolean signed;
    private final int multiplierA;
    private final int multiplierB;
    private final int offset;
    private final int shift;
    /** What either byte of an input stands for, by its unsigned value; null for the fixed-point rule. */
    private final double[] realA;

    private final double[] realB;
    private final double scale;
    private final int zeroPoint;
    private final int min;
    private final int max;
    private final QuantizedSumKernel kernel;

    private QuantizedSum(
            boolean signed,
            int multiplierA,
            int multiplierB,
            int offset,
            int shift,
            double[] realA,
            double[] realB,
            double scale,
            int zeroPoint,
            int min,
            int max) {
        this.signed = signed;
        this.multiplierA = multiplierA;
        this.multiplierB = multiplierB;
        this.offset = offset;
        this.shift = shift;
        this.realA = realA;
        this.realB = realB;
        this.scale = scale;
        this.zeroPoint = zeroPoint;
        this.min = min;
        this.max = max;
        kernel = Kernels.bytes().sum(this);
    }

    /** Whether {@link #fixedPoint} takes these scales: each is 2^-14 to 2^8 times the result's. */
    public static boolean isFixedPoint(float scaleA, float scaleB, float scale) {
        return inRange(scaleA / scale) && inRange(scaleB / scale);
    }

    /**
     * QNNPACK's rule, which is also the NNAPI reference's for ADD: the scales over the result's become integers of at
     * most 22 bits, and the sum of products is shifted right and rounded to nearest, halves away from zero.
     *
     * @param subtract whether the second input is taken away
     * @param signed whether all bytes are -128 to 127 (otherwise 0 to 255)
     * @throws IllegalArgumentException unless {@link #isFixedPoint}
     */
    public static QuantizedSum fixedPoint(
            float scaleA,
            int zeroA,
            float scaleB,
            int zeroB,
            boolean subtract,
            float scale,
            int zeroPoint,
            boolean signed,
            int min,
            int max) {
        checkScales(scaleA, scaleB, scale);
        float ratioA = scaleA / scale;
        float ratioB = scaleB / scale;
        if (!inRange(ratioA) || !inRange(ratioB)) {
            throw new IllegalArgumentException("scales: " + scaleA + " and " + scaleB + " for " + scale
                    + " (expected: at least 2^-14 and less than 2^8 times the result's)");
        }
        int shift = BITS - Math.getExponent(Math.max(ratioA, ratioB));
        if (shift > 31) {
            // No sum reaches half a step of the result.
            return new QuantizedSum(signed, 0, 0, 0, 31, null, null, scale, zeroPoint, min, max);
        }
        int a = (int) Math.rint(Math.scalb(ratioA, shift));
        int b = (int) Math.rint(Math.scalb(ratioB, shift)) * (subtract ? -1 : 1);
        return new QuantizedSum(signed, a, b, -(a * zeroA + b * zeroB), shift, null, null, scale, zeroPoint, min, max);
    }

    /**
     * The sum of the real numbers over the result's scale, in double, rounded to nearest, halves to even; the
     * reference's for SUB.
     */
    public static QuantizedSum halfEven(
            float scaleA,
            int zeroA,
            float scaleB,
            int zeroB,
            boolean subtract,
            float scale,
            int zeroPoint,
            boolean signed,
            int min,
            int max) {
        checkScales(scaleA, scaleB, scale);
        double[] a = new double[256];
        double[] b = new double[256];
        for (int i = 0; i < 256; i++) {
            int value = signed ? (byte) i : i;
            a[i] = (value - zeroA) * (double) scaleA;
            b[i] = (subtract ? -1 : 1) * ((value - zeroB) * (double) scaleB);
        }
        return new QuantizedSum(signed, 0, 0, 0, 0, a, b, scale, zeroPoint, min, max);
    }

    private static boolean inRange(float ratio) {
        return ratio >= LEAST_RATIO && ratio < RATIO_END;
    }

    private static void checkScales(float... scales) {
        for (float scale : scales) {
            if (!(scale > 0) || Float.isInfinite(scale)) {
                throw new IllegalArgumentException("scale: " + scale + " (expected: finite and > 0)");
            }
        }
    }

    /** Whether the bytes are -128 to 127. */
    public boolean isSigned() {
        return signed;
    }

    /**
     * Whether the sum is {@code a * multiplierA + b * multiplierB + offset}, shifted; otherwise only {@link #apply}
     * knows it.
     */
    public boolean isFixedPoint() {
        return realA == null;
    }

    /** Of the fixed-point rule. */
    public int multiplierA() {
        return multiplierA;
    }

    /** Of the fixed-point rule; negative where the second is subtracted. */
    public int multiplierB() {
        return multiplierB;
    }

    public int offset() {
        return offset;
    }

    /** How far the sum of the fixed-point rule is shifted right, at most 31. */
    public int shift() {
        return shift;
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

    /** The same sum of the same two values given the other way round. */
    public QuantizedSum swapped() {
        return new QuantizedSum(
                signed, multiplierB, multiplierA, offset, shift, realB, realA, scale, zeroPoint, min, max);
    }

    /** The same sum limited once more. */
    public QuantizedSum limited(int low, int high) {
        return new QuantizedSum(
                signed,
                multiplierA,
                multiplierB,
                offset,
                shift,
                realA,
                realB,
                scale,
                zeroPoint,
                Math.min(Math.max(min, low), high),
                Math.min(Math.max(max, low), high));
    }

    /** The sum of two bytes, given as their signed or unsigned values. */
    public int apply(int a, int b) {
        long steps = isFixedPoint()
                ? shifted(a * multiplierA + b * multiplierB + offset, shift)
                : (long) Math.rint((realA[a & 0xff] + realB[b & 0xff]) / scale);
        return (int) Math.min(Math.max(steps + zeroPoint, min), max);
    }

    /** {@code sum / 2^shift} to nearest, halves away from zero. */
    public static int shifted(int sum, int shift) {
        int mask = (int) ((1L << shift) - 1);
        int remainder = (sum & mask) + (sum >> 31);
        return (sum >> shift) + (remainder > mask >>> 1 ? 1 : 0);
    }

    /** {@code out[i] = a[i] + b[i]}; out may be either of them. */
    public void run(byte[] a, int aOffset, byte[] b, int bOffset, byte[] out, int outOffset, int count) {
        Check.room("a", a.length, aOffset, count);
        Check.room("b", b.length, bOffset, count);
        Check.room("output", out.length, outOffset, count);
        kernel.run(a, aOffset, b, bOffset, out, outOffset, count);
    }

    /** Adds the residual, which is the second of the two. */
    @Override
    public void finish(byte[] residual, int residualOffset, byte[] out, int outOffset, int count, int rows, int step) {
        runRows(out, outOffset, residual, residualOffset, out, outOffset, count, rows, step);
    }

    /** The same for rows of {@code count} bytes that begin {@code step} apart, in all three alike. */
    public void runRows(
            byte[] a, int aOffset, byte[] b, int bOffset, byte[] out, int outOffset, int count, int rows, int step) {
        Check.atLeast("rows", rows, 1);
        Check.atLeast("step", step, count);
        int size = Math.addExact(Math.multiplyExact(rows - 1, step), count);
        Check.room("a", a.length, aOffset, size);
        Check.room("b", b.length, bOffset, size);
        Check.room("output", out.length, outOffset, size);
        kernel.runRows(a, aOffset, b, bOffset, out, outOffset, count, rows, step);
    }
}
