package org.torchnnapi.kernels.internal.portable;

/**
 * Between floats and 16-bit floats (IEEE 754 binary16), without branches, so that loops of them become vectors. Kernels
 * use no other module; that of tensors has the plain conversions.
 */
final class PortableHalves {
    private static final int INFINITY = 0x7C00;
    /** What a half's exponent and mantissa, moved to a float's, lack. */
    private static final float UP = 0x1p112f;

    private PortableHalves() {}

    static float widen(short half) {
        int magnitude = half & 0x7FFF;
        int bits = Float.floatToRawIntBits(Float.intBitsToFloat(magnitude << 13) * UP);
        bits |= magnitude >= INFINITY ? 0x7F800000 : 0;
        return Float.intBitsToFloat(bits | (half & 0x8000) << 16);
    }

    /** Halfway to even; what is too large becomes infinite, a NaN stays one. */
    static short narrow(float value) {
        int bits = Float.floatToRawIntBits(value);
        int magnitude = bits & 0x7FFFFFFF;
        // Below the least normal half, adding 0.5 rounds to multiples of 2^-24 and leaves their number in the low bits.
        int small = Float.floatToRawIntBits(Float.intBitsToFloat(magnitude) + 0.5f) - 0x3F000000;
        int normal = magnitude + 0xFFF + (magnitude >>> 13 & 1) - 0x38000000 >>> 13;
        int half = magnitude < 0x38800000 ? small : normal;
        half = magnitude >= 0x477FF000 ? INFINITY : half;
        half = magnitude > 0x7F800000 ? INFINITY | 0x200 | magnitude >>> 13 & 0x3FF : half;
        return (short) (half | bits >>> 16 & 0x8000);
    }
}
