package org.torchnnapi.kernels.internal;

/**
 * A convolution of one image, whose channels are multiplied by a number each before, packed. Arguments were checked by
 * the public plan.
 */
public interface ScaledConvKernel {
    /** How many independent shares the work has. */
    int units();

    /**
     * @param scales one a channel
     * @param residual added before the activation, in the output's layout; null for none
     */
    void run(
            float[] in,
            int inOffset,
            float[] scales,
            int scalesOffset,
            float[] residual,
            int residualOffset,
            float[] out,
            int outOffset,
            int begin,
            int end);

    /**
     * As {@link #run} with the same scales, by the thread that did the units before {@code begin} last: what its
     * scratch has of them is used.
     */
    void resume(
            float[] in,
            int inOffset,
            float[] residual,
            int residualOffset,
            float[] out,
            int outOffset,
            int begin,
            int end);
}
