package org.torchnnapi.kernels;

/**
 * What becomes of each of a convolution's sums while it is in registers or in the first cache.
 *
 * @param function of a sum, or null for none
 * @param clamp the limits afterwards
 */
public record Activation(UnaryOp function, Clamp clamp) {
    public static final Activation NONE = of(Clamp.NONE);
    public static final Activation HARD_SWISH = of(UnaryOp.HARD_SWISH);

    private static final float SIXTH = 1 / 6f;

    /** Limits alone. */
    public static Activation of(Clamp clamp) {
        return new Activation(null, clamp);
    }

    /** A function alone. */
    public static Activation of(UnaryOp function) {
        return new Activation(function, Clamp.NONE);
    }

    /** Whether kernels apply it before sums are stored; any other they apply to some sums that are stored. */
    public static boolean isDoneInRegisters(UnaryOp function) {
        return function == UnaryOp.HARD_SWISH;
    }

    public boolean isNone() {
        return function == null && clamp.isNone();
    }

    /** This one and then limits. */
    public Activation then(Clamp limits) {
        return new Activation(function, clamp.then(limits));
    }

    /** The activation of one value. */
    public float apply(float value) {
        return clamp.apply(function == null ? value : function.apply(value));
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
