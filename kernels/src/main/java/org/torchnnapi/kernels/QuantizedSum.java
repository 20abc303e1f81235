package org.torchnnapi.kernels;

/**
 * Element-wise sum (or difference) of two quantized runs of bytes, by either of the two rules. Planned once; a run is three table
 * look-ups and a rounding an element.
 */
public final class QuantizedSum {
    /** What either byte of an input adds, by its unsigned value: integers of the fixed-point rule. */
    private final int[] fixedA;
    private final int[] fixedB;
    /** The same as real numbers in steps of the output, of the half-even rule. */
    private final double[] realA;
    private final double[] realB;
    private final Requantization rule;
    private final int zeroPoint;
    private final int min;
    private final int max;

    private QuantizedSum(int[] fixedA, int[] fixedB, double[] realA, double[] realB, Requantization rule, int zeroPoint, int min, int max) {
        this.fixedA = fixedA;
        this.fixedB = fixedB;
        this.realA = realA;
        this.realB = realB;
        this.rule = rule;
        this.zeroPoint = zeroPoint;
        this.min = min;
        this.max = max;
    }

    /**
     * The NNAPI reference's rule: both inputs are brought to twice the larger scale with 20 more bits, each rounded as
     * {@link Requantization#fixedPoint} rounds, and so is their sum.
     *
     * @param subtract whether the second input is taken away
     * @param signed whether all bytes are -128 to 127 (otherwise 0 to 255)
     */
    public static QuantizedSum fixedPoint(float scaleA, int zeroA, float scaleB, int zeroB, boolean subtract, float scale, int zeroPoint,
                                          boolean signed, int min, int max) {
        checkScales(scaleA, scaleB, scale);
        int extraBits = 20;
        double common = 2 * (double) Math.max(scaleA, scaleB);
        int[] a = shifted(scaleA / common, zeroA, signed, extraBits, 1);
        int[] b = shifted(scaleB / common, zeroB, signed, extraBits, subtract ? -1 : 1);
        Requantization rule = Requantization.fixedPoint(new double[] {common / ((1 << extraBits) * (double) scale)}, zeroPoint, min, max);
        return new QuantizedSum(a, b, null, null, rule, zeroPoint, min, max);
    }

    /** qnnpack's: real arithmetic in double, rounded to nearest, halves to even. */
    public static QuantizedSum halfEven(float scaleA, int zeroA, float scaleB, int zeroB, boolean subtract, float scale, int zeroPoint,
                                        boolean signed, int min, int max) {
        checkScales(scaleA, scaleB, scale);
        double[] a = new double[256];
        double[] b = new double[256];
        for (int i = 0; i < 256; i++) {
            int value = signed ? (byte) i : i;
            a[i] = (value - zeroA) * (double) scaleA / scale;
            b[i] = (subtract ? -1 : 1) * ((value - zeroB) * (double) scaleB / scale);
        }
        return new QuantizedSum(null, null, a, b, null, zeroPoint, min, max);
    }

    private static int[] shifted(double multiplier, int zero, boolean signed, int extraBits, int sign) {
        Requantization rule = Requantization.fixedPoint(new double[] {multiplier}, 0, -128, 127);
        int[] table = new int[256];
        for (int i = 0; i < 256; i++) {
            table[i] = sign * rule.scaleOnly(((signed ? (byte) i : i) - zero) << extraBits);
        }
        return table;
    }

    private static void checkScales(float... scales) {
        for (float scale : scales) {
            if (!(scale > 0) || Float.isInfinite(scale)) {
                throw new IllegalArgumentException("scale: " + scale + " (expected: finite and > 0)");
            }
        }
    }

    /** {@code out[i] = a[i] + b[i]}; out may be either of them. */
    public void run(byte[] a, int aOffset, byte[] b, int bOffset, byte[] out, int outOffset, int count) {
        Check.room("a", a.length, aOffset, count);
        Check.room("b", b.length, bOffset, count);
        Check.room("output", out.length, outOffset, count);
        if (rule != null) {
            for (int i = 0; i < count; i++) {
                out[outOffset + i] = (byte) rule.apply(fixedA[a[aOffset + i] & 0xff] + fixedB[b[bOffset + i] & 0xff], 0);
            }
            return;
        }
        for (int i = 0; i < count; i++) {
            long rounded = (long) Math.rint(realA[a[aOffset + i] & 0xff] + realB[b[bOffset + i] & 0xff]) + zeroPoint;
            out[outOffset + i] = (byte) Math.min(Math.max(rounded, min), max);
        }
    }
}
