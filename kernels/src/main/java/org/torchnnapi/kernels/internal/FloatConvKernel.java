package org.torchnnapi.kernels.internal;

/** A packed convolution of one image, ready to run. Arguments were checked by the public plan. */
public interface FloatConvKernel {
    /** How many independent shares the work has. */
    int units();

    /** Whether units that one call does together take less than apart. */
    default boolean adjoining() {
        return false;
    }

    /** @param residual added before the activation, in the output's layout; null for none */
    void run(
            float[] in,
            int inOffset,
            float[] residual,
            int residualOffset,
            float[] out,
            int outOffset,
            int begin,
            int end);

    /**
     * As {@link #run}, of the same images by the thread that did the units before {@code begin} last: what its scratch
     * has of them is used.
     */
    default void resume(
            float[] in,
            int inOffset,
            float[] residual,
            int residualOffset,
            float[] out,
            int outOffset,
            int begin,
            int end) {
        run(in, inOffset, residual, residualOffset, out, outOffset, begin, end);
    }
}
