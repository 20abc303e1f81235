package org.torchnnapi.kernels.internal;

/** Kernels of one provider over images in channel blocks. Callers checked the arguments. */
public interface ImageKernels {
    PoolKernel pool(PoolSpec spec);

    ResizeKernel resize(ResizeSpec spec);

    /**
     * Copies pixels [first, end) of an image from one channel block to another; lanes past the last channel become
     * zeros.
     */
    void convert(
            int channels,
            int pixels,
            int inBlock,
            float[] in,
            int inOffset,
            int outBlock,
            float[] out,
            int outOffset,
            int first,
            int end);

    void convert(
            int channels,
            int pixels,
            int inBlock,
            byte[] in,
            int inOffset,
            int outBlock,
            byte[] out,
            int outOffset,
            int first,
            int end);

    /** {@code out[c * outStep + r] = in[r * inStep + c]} for r in [0, rows), c in [0, cols). */
    void transpose(float[] in, int inOffset, int inStep, float[] out, int outOffset, int outStep, int rows, int cols);

    void transpose(byte[] in, int inOffset, int inStep, byte[] out, int outOffset, int outStep, int rows, int cols);
}
