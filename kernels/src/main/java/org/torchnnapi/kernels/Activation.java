package org.torchnnapi.kernels;

/**
 * What a convolution does to each of its sums before it stores them.
 *
 * @param isHardSwish whether a value x first becomes {@link #hardSwish x * relu6(x + 3) / 6}
 * @param clamp the limits afterwards
 */
public record Activation(boolean isHardSwish, Clamp clamp) {
    public static final Activation NONE = of(Clamp.NONE);
    public static final Activation HARD_SWISH = new Activation(true, Clamp.NONE);

    private static final float SIXTH = 1 / 6f;

    /** Limits alone. */
    public static Activation of(Clamp clamp) {
        return new Activation(false, clamp);
    }

    public boolean isNone() {
        return !isHardSwish && clamp.isNone();
    }

    /** This one and then limits. */
    public Activation then(Clamp limits) {
        return new Activation(isHardSwish, clamp.then(limits));
    }

    /** The activation of one value. */
    public float apply(float value) {
        return clamp.apply(isHardSwish ? hardSwish(value) : value);
    }

    /** {@code x * relu6(x + 3) / 6} (Howard et al., Searching for MobileNetV3, 2019), rounded alike by all kernels. */
    public static float hardSwish(float x) {
        return x * hardSigmoid(x);
    }

    /** {@code relu6(x + 3) / 6}. */
    public static float hardSigmoid(float x) {
        return Clamp.RELU6.apply(x + 3) * SIXTH;
    }
}
