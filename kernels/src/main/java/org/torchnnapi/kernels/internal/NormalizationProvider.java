package org.torchnnapi.kernels.internal;

import org.torchnnapi.kernels.internal.portable.PortableNormalization;

/**
 * The kernels of normalizations: native where {@link Providers} found the native library, else portable. Callers
 * checked the arguments; in and out may be the same.
 */
public interface NormalizationProvider {
    /** Name of the native provider, which may not load. */
    String NATIVE = "org.torchnnapi.kernels.internal.natives.NativeNormalization";

    /**
     * Rows [begin, end) of {@code runs * run} floats, each by its own mean and variance.
     *
     * @param each whether every element of a row has factors of its own, or every run of it
     * @param groups of factors, which rows take turns with
     * @param factors all scales, then all shifts
     */
    void rows(
            boolean each,
            int groups,
            int runs,
            int run,
            float epsilon,
            float[] factors,
            float[] in,
            int inOffset,
            float[] out,
            int outOffset,
            int begin,
            int end);

    /**
     * Units [begin, end) of an image in blocks of channels, which groups of {@code size} divide or consist of: blocks,
     * or groups where those are larger.
     *
     * @param factors a scale for each channel of all blocks, then the shifts
     */
    void blocks(
            int size,
            int block,
            int pixels,
            float epsilon,
            float[] factors,
            float[] in,
            int inOffset,
            float[] out,
            int outOffset,
            int begin,
            int end);

    /** Decides on first use. */
    static NormalizationProvider chosen() {
        return Holder.CHOSEN;
    }

    /** Delays the choice. */
    final class Holder {
        private static final NormalizationProvider CHOSEN =
                Providers.nativeOr(NormalizationProvider.class, NATIVE, PortableNormalization::new);

        private Holder() {}
    }
}
