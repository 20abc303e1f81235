package org.torchnnapi.kernels.internal.vector;

import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorSpecies;
import org.torchnnapi.kernels.Activation;
import org.torchnnapi.kernels.Clamp;
import org.torchnnapi.kernels.ElementwiseOps;

/** The vector width of this machine, and the loops that need nothing else. */
final class Lanes {
    static final VectorSpecies<Float> FLOATS = FloatVector.SPECIES_PREFERRED;
    /** Floats in a vector; the channel block of this provider. */
    static final int V = FLOATS.length();
    /** 256-bit machines have 16 vector registers; AVX-512 and Arm have 32. */
    static final boolean MANY_REGISTERS = V != 8;
    /**
     * 1.5 * 2^23. A small number plus this is rounded to an integer, halves to even; a large one gives floats whose
     * bits, as integers, lie beyond those of the small ones on the same side. So limits of the integers are limits of
     * the bits, {@link #roundedBits}.
     */
    static final float ROUNDER = 0x1.8p23f;

    private Lanes() {}

    /** Whether the limits can be applied to the bits of floats as integers: none of them is negative. */
    static boolean isPositive(Clamp clamp) {
        return clamp.min() >= 0;
    }

    /** Bits for the integer minimum that keep a NaN a NaN where there is no upper limit. */
    static int upperBits(Clamp clamp) {
        return clamp.max() == Float.POSITIVE_INFINITY ? Integer.MAX_VALUE : Float.floatToRawIntBits(clamp.max());
    }

    /** The lower limit's bits; -0 counts as 0. */
    static int lowerBits(Clamp clamp) {
        return Float.floatToRawIntBits(clamp.min() + 0f);
    }

    /** The bits of an integer within 2^22 plus {@link #ROUNDER}. */
    static int roundedBits(int value) {
        return Float.floatToRawIntBits(ROUNDER) + value;
    }

    /** Whether tiles that limit the bits of floats do all of it. */
    static boolean isPositive(Activation activation) {
        return activation.function() == null && isPositive(activation.clamp());
    }

    /** Activates a run of floats in place; NaNs stay. */
    static void activate(float[] values, int offset, int count, Activation activation) {
        if (activation.function() != null) {
            ElementwiseOps.unary(activation.function(), values, offset, values, offset, count);
        }
        limit(values, offset, count, activation.clamp());
    }

    /** Limits a run of floats in place; NaNs stay. */
    static void limit(float[] values, int offset, int count, Clamp clamp) {
        if (clamp.isNone()) {
            return;
        }
        int i = 0;
        for (; i <= count - V; i += V) {
            limit(FloatVector.fromArray(FLOATS, values, offset + i), clamp.min(), clamp.max())
                    .intoArray(values, offset + i);
        }
        for (; i < count; i++) {
            values[offset + i] = clamp.apply(values[offset + i]);
        }
    }

    static FloatVector limit(FloatVector v, float min, float max) {
        FloatVector raised = v.blend(min, v.compare(VectorOperators.LT, min));
        return raised.blend(max, raised.compare(VectorOperators.GT, max));
    }
}
