package org.torchnnapi.kernels.internal.portable;

import org.torchnnapi.kernels.internal.ImageKernels;
import org.torchnnapi.kernels.internal.PoolKernel;
import org.torchnnapi.kernels.internal.PoolSpec;
import org.torchnnapi.kernels.internal.ResizeKernel;
import org.torchnnapi.kernels.internal.ResizeSpec;

/** The image kernels that run on every JVM. */
public class PortableImageKernels implements ImageKernels {
    @Override
    public PoolKernel pool(PoolSpec spec) {
        return new PortablePool(spec);
    }

    @Override
    public ResizeKernel resize(ResizeSpec spec) {
        return new PortableResize(spec);
    }

    @Override
    public void convert(
            int channels,
            int pixels,
            int inBlock,
            float[] in,
            int inOffset,
            int outBlock,
            float[] out,
            int outOffset,
            int first,
            int end) {
        LayoutLoops.convert(channels, pixels, inBlock, in, inOffset, outBlock, out, outOffset, first, end);
    }

    @Override
    public void convert(
            int channels,
            int pixels,
            int inBlock,
            byte[] in,
            int inOffset,
            int outBlock,
            byte[] out,
            int outOffset,
            int first,
            int end) {
        LayoutLoops.convert(channels, pixels, inBlock, in, inOffset, outBlock, out, outOffset, first, end);
    }

    @Override
    public void transpose(
            float[] in, int inOffset, int inStep, float[] out, int outOffset, int outStep, int rows, int cols) {
        LayoutLoops.transpose(in, inOffset, inStep, out, outOffset, outStep, rows, cols);
    }

    @Override
    public void transpose(
            byte[] in, int inOffset, int inStep, byte[] out, int outOffset, int outStep, int rows, int cols) {
        LayoutLoops.transpose(in, inOffset, inStep, out, outOffset, outStep, rows, cols);
    }
}
