package org.torchnnapi.nnapi.op;

import java.util.function.IntUnaryOperator;

/**
 * Real numbers held as 16-bit integers with a fixed number of fractional bits, as the quantized LSTMs define their
 * steps. Sigmoid and tanh are the approximations Android's reference inherits from the gemmlowp library: products
 * rounded to 16 bits, a Taylor polynomial around -1/8 with a table of powers of e, and three Newton steps for the
 * quotient. Devices that compute these operations take what defines them from here.
 */
public final class FixedPoint {
    private static final int ONE = Short.MAX_VALUE;

    /** Fractional bits of numbers between -1 and 1, and of those between -4 and 4. */
    private static final int UNIT_BITS = 15;

    private static final int NEWTON_BITS = 13;
    private static final int NEWTON_STEPS = 3;

    /** One, with the 10 fractional bits that normalized sums have. */
    private static final long NORMALIZED_ONE = 1024;

    /** The smallest and the largest power of two in the exponents of {@link #EXP_TABLE}: exp(-1/4) to exp(-16). */
    private static final int LOWEST_POWER = -2;

    private static final int HIGHEST_POWER = 4;
    private static final int[] EXP_TABLE = new int[HIGHEST_POWER - LOWEST_POWER + 1];

    static {
        for (int power = LOWEST_POWER; power <= HIGHEST_POWER; power++) {
            EXP_TABLE[power - LOWEST_POWER] = encode(StrictMath.exp(-Math.scalb(1.0, power)), UNIT_BITS);
        }
    }

    private FixedPoint() {}

    /** The 16-bit integer nearest to {@code value * 2^fractionBits}, saturating. */
    public static int encode(double value, int fractionBits) {
        return saturate16(RoundingArithmetic.halfAwayFromZero(Math.scalb(value, fractionBits)));
    }

    /** The real number that {@code fixed * 2^-fractionBits} is. */
    public static double decode(int fixed, int fractionBits) {
        return Math.scalb((double) fixed, -fractionBits);
    }

    /** Rounds a real number to the nearest one with that many fractional bits that 16 bits can hold. */
    public static double round(double value, int fractionBits) {
        return decode(encode(value, fractionBits), fractionBits);
    }

    /** The nearest integer that 16 bits can hold. */
    public static int saturate16(long value) {
        return (int) Math.max(Short.MIN_VALUE, Math.min(Short.MAX_VALUE, value));
    }

    /**
     * An integer times a positive real factor, rounded twice as a 32-bit multiplication by a mantissa in [1/2, 1) and a
     * shift are: once before and once after dividing by the power of two.
     */
    public static long multiply(long value, double factor) {
        int exponent = Math.getExponent(factor) + 1;
        double mantissa = Math.scalb(factor, -exponent);
        if (exponent >= 0) {
            return RoundingArithmetic.halfAwayFromZero(Math.scalb((double) value, exponent) * mantissa);
        }
        return multiply(value, factor, -exponent);
    }

    /** An integer times a factor, rounded once with {@code extraBits} fractional bits and once without. */
    private static long multiply(long value, double factor, int extraBits) {
        return RoundingArithmetic.halfAwayFromZero(Math.scalb(
                (double) RoundingArithmetic.halfAwayFromZero(value * Math.scalb(factor, extraBits)), -extraBits));
    }

    /**
     * An integer divided by the square root of a whole number above 0. The reference brings the number to 28 or 29 bits
     * by shifting out pairs of bits, and rounds with half as many fractional bits as that leaves, then once more.
     */
    public static long divideByRoot(long value, int square) {
        int pairs = (Integer.numberOfLeadingZeros(Math.max(square, 2)) - 1) / 2 - 1;
        int extraBits = square <= 1 ? 0 : Math.max(0, 11 - pairs);
        return multiply(value, 1 / Math.sqrt(square), extraBits);
    }

    /**
     * Layer normalization of QUANTIZED_LSTM's gate sums {@code [units]}, in place: mean with 10 fractional bits,
     * variance a whole number, as the operation's 16-bit arithmetic has them. The results have {@code fractionBits} and
     * 16 bits.
     *
     * @param step what the sums are counted in
     * @param weights of a unit, counted in {@code scale}
     * @param bias of a unit, added to its weighted sum of 10 fractional bits
     */
    public static void normalize(
            double[] sums,
            double step,
            IntUnaryOperator weights,
            double scale,
            IntUnaryOperator bias,
            int fractionBits) {
        long sum = 0;
        long squares = 0;
        int[] counts = new int[sums.length];
        for (int u = 0; u < sums.length; u++) {
            counts[u] = saturate16(RoundingArithmetic.halfAwayFromZero(sums[u] / step));
            sum += counts[u];
            squares += (long) counts[u] * counts[u];
        }
        long mean = sum * NORMALIZED_ONE / counts.length;
        long variance = (squares * NORMALIZED_ONE * NORMALIZED_ONE / counts.length - mean * mean)
                / (NORMALIZED_ONE * NORMALIZED_ONE);
        double factor = Math.scalb(scale, fractionBits);
        for (int u = 0; u < sums.length; u++) {
            long normalized = divideByRoot(counts[u] * NORMALIZED_ONE - mean, (int) Math.max(variance, 1));
            long weighted = normalized * weights.applyAsInt(u) + bias.applyAsInt(u);
            sums[u] = decode(
                    saturate16(
                            multiply(RoundingArithmetic.halfAwayFromZero((double) weighted / NORMALIZED_ONE), factor)),
                    fractionBits);
        }
    }

    /** {@code 1 / (1 + exp(-x))} with 15 fractional bits, for x with {@code fractionBits}. */
    public static int sigmoid(int x, int fractionBits) {
        if (x == 0) {
            return 1 << UNIT_BITS - 1;
        }
        int positive = saturate16(reciprocal(exp(-Math.abs(x), fractionBits)) << UNIT_BITS - NEWTON_BITS - 1);
        return x > 0 ? positive : ONE - positive;
    }

    /** {@code tanh(x)} with 15 fractional bits, for x with {@code fractionBits}. */
    public static int tanh(int x, int fractionBits) {
        if (x == 0) {
            return 0;
        }
        int magnitude = saturate16(
                (long) reciprocal(exp(-Math.abs(x), fractionBits - 1)) - (1 << NEWTON_BITS) << UNIT_BITS - NEWTON_BITS);
        return x > 0 ? magnitude : -magnitude;
    }

    /** The product of numbers with 15 fractional bits (or of any with one such), rounded. */
    private static int multiply(int a, int b) {
        long product = (long) a * b;
        return saturate16(
                (product + (product >= 0 ? 1 << UNIT_BITS - 1 : 1 - (1 << UNIT_BITS - 1))) / (1 << UNIT_BITS));
    }

    private static int halve(int value, int times) {
        int mask = (1 << times) - 1;
        int remainder = value & mask;
        int threshold = (mask >> 1) + (value < 0 ? 1 : 0);
        return (value >> times) + (remainder > threshold ? 1 : 0);
    }

    /** {@code exp(x)} with 15 fractional bits for {@code x <= 0}. */
    private static int exp(int x, int fractionBits) {
        if (x == 0) {
            return ONE;
        }
        int quarter = 1 << fractionBits - 2;
        int fraction = (x & quarter - 1) - quarter;
        int result = expNearZero(saturate16((long) fraction << UNIT_BITS - fractionBits));
        int rest = fraction - x;
        for (int power = LOWEST_POWER; power <= HIGHEST_POWER; power++) {
            int bit = fractionBits + power;
            if (bit < UNIT_BITS && (rest >> bit & 1) != 0) {
                result = multiply(result, EXP_TABLE[power - LOWEST_POWER]);
            }
        }
        return result;
    }

    /** {@code exp(x)} for x in [-1/4, 0), both with 15 fractional bits: the polynomial of degree 4 around -1/8. */
    private static int expNearZero(int x) {
        int centre = encode(StrictMath.exp(-1.0 / 8), UNIT_BITS);
        int third = encode(1.0 / 3, UNIT_BITS);
        int d = saturate16(x + (1 << UNIT_BITS - 3));
        int d2 = multiply(d, d);
        int d3 = multiply(d2, d);
        int d4 = multiply(d2, d2);
        int tail = halve(saturate16(multiply(saturate16(halve(d4, 2) + d3), third) + d2), 1);
        return saturate16(centre + multiply(centre, saturate16(d + tail)));
    }

    /**
     * {@code 2 / (1 + x)} with 13 fractional bits for x in [0, 1] with 15: Newton's method on the halved denominator.
     */
    private static int reciprocal(int x) {
        int denominator = (x + ONE + 1) / 2;
        int estimate =
                saturate16(encode(48.0 / 17, NEWTON_BITS) + multiply(denominator, encode(-32.0 / 17, NEWTON_BITS)));
        for (int i = 0; i < NEWTON_STEPS; i++) {
            int error = saturate16((1 << NEWTON_BITS) - multiply(denominator, estimate));
            int correction = saturate16((long) multiply(estimate, error) << UNIT_BITS - NEWTON_BITS);
            estimate = saturate16(estimate + correction);
        }
        return estimate;
    }
}
