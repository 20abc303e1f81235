package org.torchnnapi.kernels.internal.natives;

import org.torchnnapi.kernels.ConvShape;

/**
 * How C computes dense convolutions of float images, whole ones and those in groups.
 *
 * @param work does units
 * @param packing brings weights into its order
 * @param panel output channels that are computed together
 * @param vector input channels of a tap are filled up to a multiple of it
 * @param bytes of a weight
 * @param stages whether the input of a unit is brought to scratch, in such numbers
 */
record FloatForm(FloatWork work, FloatPacking packing, int panel, int vector, int bytes, boolean stages) {
    /** As kernels.table says. */
    static final FloatForm FLOATS = new FloatForm(
            new FloatWork(NativeLibrary.floatFunction("float_conv")),
            new FloatPacking(NativeLibrary.floatFunction("float_pack")),
            NativeLibrary.floatNumber("float_panel"),
            1,
            Float.BYTES,
            false);

    private static final int HALF_LANES = 8;

    /** Linked where the processor has their arithmetic. */
    private static final class OfHalves {
        static final FloatForm FORM = new FloatForm(
                new FloatWork(NativeLibrary.halfFunction("half_conv")),
                new FloatPacking(NativeLibrary.halfFunction("half_pack")),
                NativeLibrary.number(NativeLibrary.halfFunction("half_panel")),
                HALF_LANES,
                Short.BYTES,
                true);
    }

    /** As half_conv.h says; only where {@link NativeLibrary#HALVES}. */
    static FloatForm halves() {
        return OfHalves.FORM;
    }

    /** Whether {@link #halves} computes such a convolution; of fewer channels it would mostly add zeros. */
    static boolean coversHalves(ConvShape shape) {
        return shape.groups() == 1 && !shape.transposed() && shape.inC() >= HALF_LANES;
    }

    /** Channels of a tap as they are packed. */
    int filled(int channels) {
        return (channels + vector - 1) / vector * vector;
    }

    /** Floats of scratch for the input that windows of so many rows and columns reach. */
    long scratch(int channels, long rows, long cols) {
        return stages ? (Math.multiplyExact(rows * cols, filled(channels)) * bytes + Float.BYTES - 1) / Float.BYTES : 0;
    }
}
