package org.torchnnapi.nnapi.op;

/** Real numbers held as 16-bit integers with a fixed number of fractional bits, as the quantized LSTMs define their steps. */
final class FixedPoint {
    private FixedPoint() {
    }

    /** The 16-bit integer nearest to {@code value * 2^fractionBits}, saturating. */
    static int encode(double value, int fractionBits) {
        return saturate16(Rounding.halfAwayFromZero(Math.scalb(value, fractionBits)));
    }

    static double decode(int fixed, int fractionBits) {
        return Math.scalb((double) fixed, -fractionBits);
    }

    /** Rounds a real number to the nearest one with that many fractional bits that 16 bits can hold. */
    static double round(double value, int fractionBits) {
        return decode(encode(value, fractionBits), fractionBits);
    }

    static int saturate16(long value) {
        return (int) Math.max(Short.MIN_VALUE, Math.min(Short.MAX_VALUE, value));
    }
}
