package org.torchnnapi.nnapi.op;

/** Rounding as the specification's quantized operations do it. */
public final class RoundingArithmetic {
    private RoundingArithmetic() {}

    /** The nearest integer, halves away from zero (C's {@code round}); NaN gives 0, what is past long saturates. */
    public static long halfAwayFromZero(double value) {
        return (long) (value < 0 ? Math.ceil(value - 0.5) : Math.floor(value + 0.5));
    }

    /**
     * The nearest integer, halves to the even one; NaN gives 0, what is past long saturates. Quantized results are
     * rounded so: the specification leaves it open within one step, and it is what PyTorch's QNNPACK computes bit for
     * bit.
     */
    public static long halfEven(double value) {
        return (long) Math.rint(value);
    }
}
