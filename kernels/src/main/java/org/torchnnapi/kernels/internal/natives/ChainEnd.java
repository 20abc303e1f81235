package org.torchnnapi.kernels.internal.natives;

import org.torchnnapi.kernels.QuantizedSum;

/**
 * What a chain does with rows of its depthwise stage: the pointwise stage behind it, and the sum with another image.
 *
 * @param project null where the rows are the chain's output already
 * @param sum null where nothing is added
 * @param channels of the output
 */
record ChainEnd(NativeDense project, QuantizedSum sum, int channels) {
    /**
     * Output pixels [pixel, end) from those at the offset, which are counted alike; {@code between} is not read without
     * a stage behind.
     */
    void pixels(
            NativeMemory between,
            long offset,
            byte[] residual,
            int residualOffset,
            byte[] out,
            int outOffset,
            int pixel,
            int end) {
        if (project != null) {
            project.pixels(between, offset, out, outOffset, pixel, end);
        }
        if (sum != null) {
            int at = pixel * channels;
            sum.run(out, outOffset + at, residual, residualOffset + at, out, outOffset + at, (end - pixel) * channels);
        }
    }
}
