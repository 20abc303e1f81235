package org.torchnnapi.kernels.internal.natives;

import org.torchnnapi.kernels.ByteEpilogue;

/**
 * What a chain does with rows of its depthwise stage: the pointwise stage behind it, and what comes after, such as the
 * sum with another image.
 *
 * @param project null where the rows are the chain's output already
 * @param after null where nothing comes after
 * @param channels of the output
 */
record ChainEnd(NativeDense project, ByteEpilogue after, int channels) {
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
        if (after != null) {
            int at = pixel * channels;
            after.finish(residual, residualOffset + at, out, outOffset + at, (end - pixel) * channels);
        }
    }
}
