package org.torchnnapi.nnapi.op;

/** The activations an operation may apply to its result; the constant's position is its code. */
public enum FusedActivation {
    NONE(Float.NEGATIVE_INFINITY, Float.POSITIVE_INFINITY),
    RELU(0f, Float.POSITIVE_INFINITY),
    RELU1(-1f, 1f),
    RELU6(0f, 6f);

    private static final FusedActivation[] BY_CODE = values();

    private final float low;
    private final float high;

    FusedActivation(float low, float high) {
        this.low = low;
        this.high = high;
    }

    /** The activation with this code, or null. */
    public static FusedActivation ofCode(int code) {
        return code >= 0 && code < BY_CODE.length ? BY_CODE[code] : null;
    }

    /** Clamps a real number; NaN stays NaN. */
    public float apply(float value) {
        return value < low ? low : value > high ? high : value;
    }

    /** The smallest quantized element the activation lets through, before the type's own limits. */
    public long quantizedLow(float scale, int zeroPoint) {
        return this == NONE ? Integer.MIN_VALUE : zeroPoint + RoundingArithmetic.halfAwayFromZero((double) low / scale);
    }

    /** The largest quantized element the activation lets through, before the type's own limits. */
    public long quantizedHigh(float scale, int zeroPoint) {
        return high == Float.POSITIVE_INFINITY
                ? Integer.MAX_VALUE
                : zeroPoint + RoundingArithmetic.halfAwayFromZero((double) high / scale);
    }
}
