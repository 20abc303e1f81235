package org.torchnnapi.kernels;

/**
 * The activation fused into a kernel: values are limited to [min, max]. A NaN stays NaN in the portable kernels and may
 * become a limit in the vectorised ones, as in the peers that clamp with integer or min/max instructions.
 */
public record Clamp(float min, float max) {
    public static final Clamp NONE = new Clamp(Float.NEGATIVE_INFINITY, Float.POSITIVE_INFINITY);
    public static final Clamp RELU = new Clamp(0, Float.POSITIVE_INFINITY);
    public static final Clamp RELU1 = new Clamp(-1, 1);
    public static final Clamp RELU6 = new Clamp(0, 6);

    public Clamp {
        if (!(min <= max)) {
            throw new IllegalArgumentException("clamp: [" + min + ", " + max + "] (expected: min <= max)");
        }
    }

    public boolean isNone() {
        return min == Float.NEGATIVE_INFINITY && max == Float.POSITIVE_INFINITY;
    }

    /** The name of the activation, such as {@code relu6}; empty for none. */
    public String label() {
        return isNone() ? "" : equals(RELU) ? "relu" : equals(RELU1) ? "relu1" : equals(RELU6) ? "relu6" : "clamp";
    }

    /** This one and then another. */
    public Clamp then(Clamp next) {
        return new Clamp(next.apply(min), next.apply(max));
    }

    /** The value limited; NaN for a NaN. */
    public float apply(float value) {
        return Math.min(Math.max(value, min), max);
    }
}
