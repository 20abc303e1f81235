package org.torchnnapi.tensor;

/** IEEE 754 binary16 and bfloat16 conversions, rounding to nearest even. */
public final class Half {
    private Half() {}

    /** Widens binary16 bits to float; exact. */
    public static float toFloat(short half) {
        int sign = (half & 0x8000) << 16;
        int exponent = half >>> 10 & 0x1F;
        int mantissa = half & 0x3FF;
        if (exponent == 0x1F) {
            return Float.intBitsToFloat(sign | 0x7F800000 | mantissa << 13);
        }
        if (exponent == 0) {
            float magnitude = mantissa * 0x1p-24f;
            return sign == 0 ? magnitude : -magnitude;
        }
        return Float.intBitsToFloat(sign | exponent + 112 << 23 | mantissa << 13);
    }

    /** Narrows to binary16 bits; overflow gives infinity, NaN stays NaN. */
    public static short fromFloat(float value) {
        int bits = Float.floatToRawIntBits(value);
        int sign = bits >>> 16 & 0x8000;
        int magnitude = bits & 0x7FFFFFFF;
        if (magnitude >= 0x7F800000) {
            return (short) (sign | 0x7C00 | (magnitude > 0x7F800000 ? 0x200 | magnitude >>> 13 & 0x3FF : 0));
        }
        if (magnitude >= 0x477FF000) {
            return (short) (sign | 0x7C00);
        }
        if (magnitude < 0x38800000) {
            // Subnormal: adding 0.5 aligns the 10 kept bits at the bottom of the float's mantissa, rounded by the
            // hardware.
            float aligned = Float.intBitsToFloat(magnitude) + 0.5f;
            return (short) (sign | Float.floatToRawIntBits(aligned) - 0x3F000000);
        }
        int rounded = magnitude + 0xFFF + (magnitude >>> 13 & 1);
        return (short) (sign | rounded - 0x38000000 >>> 13);
    }

    /** Widens bfloat16 bits to float; exact. */
    public static float bfloatToFloat(short bits) {
        return Float.intBitsToFloat(bits << 16);
    }

    /** Narrows to bfloat16 bits; NaN stays NaN. */
    public static short bfloatFromFloat(float value) {
        int bits = Float.floatToRawIntBits(value);
        if ((bits & 0x7FFFFFFF) > 0x7F800000) {
            return (short) (bits >>> 16 | 0x40);
        }
        return (short) (bits + 0x7FFF + (bits >>> 16 & 1) >>> 16);
    }
}
