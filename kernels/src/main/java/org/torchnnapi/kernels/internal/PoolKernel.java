package org.torchnnapi.kernels.internal;

import org.torchnnapi.kernels.Rounding;

/** A pooling of one image, ready to run; units are rows of the output, of one channel block after the other. */
public interface PoolKernel {
    void run(float[] in, int inOffset, float[] out, int outOffset, int begin, int end);

    /**
     * Of bytes a row's unit is a group of its channels.
     *
     * @param origin the byte from which means are counted, and so rounded
     * @param padding the byte that padding counts as
     */
    void run(
            byte[] in,
            int inOffset,
            byte[] out,
            int outOffset,
            boolean signed,
            int origin,
            int padding,
            Rounding rounding,
            int min,
            int max,
            int begin,
            int end);
}
