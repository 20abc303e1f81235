package org.torchnnapi.tensor.platform;

/** Products and sums that are rounded once. */
public final class FusedMultiplyAdd {
    private FusedMultiplyAdd() {}

    /** {@code a * b + c}, rounded once, as by IEEE 754's fusedMultiplyAdd. */
    public static float multiplyAdd(float a, float b, float c) {
        return Platform.ANDROID ? rounded(a, b, c) : JdkCalls.multiplyAdd(a, b, c);
    }

    /**
     * In doubles the product is exact; their sum is rounded to odd, from which rounding to a float is right, since a
     * double has more than two bits over a float's (S. Boldo and G. Melquiond, Emulation of a FMA and correctly rounded
     * sums: proved algorithms using rounding to odd, 2008).
     */
    static float rounded(float a, float b, float c) {
        double product = (double) a * b;
        double sum = product + c;
        double fromProduct = sum - c;
        double error = product - fromProduct + (c - (sum - fromProduct));
        if (error == 0 || Double.isNaN(error) || Double.isInfinite(sum)) {
            return (float) sum;
        }
        long bits = Double.doubleToRawLongBits(sum);
        if ((bits & 1) == 0) {
            bits += error > 0 == sum > 0 ? 1 : -1;
        }
        return (float) Double.longBitsToDouble(bits);
    }
}
