package org.torchnnapi.kernels.internal.natives;

import org.torchnnapi.kernels.internal.ImageKernels;
import org.torchnnapi.kernels.internal.PoolKernel;
import org.torchnnapi.kernels.internal.PoolSpec;
import org.torchnnapi.kernels.internal.ResizeKernel;
import org.torchnnapi.kernels.internal.ResizeSpec;
import org.torchnnapi.kernels.internal.portable.PortablePool;

/** The image kernels in C; a pooling that they do not cover is done by plain loops. */
public final class NativeImageKernels implements ImageKernels {
    @Override
    public PoolKernel pool(PoolSpec spec) {
        return NativePool.covers(spec) ? new NativePool(spec) : new PortablePool(spec);
    }

    @Override
    public ResizeKernel resize(ResizeSpec spec) {
        return new NativeResize(spec);
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
        LayoutCalls.convertFloats(in, inOffset, out, outOffset, channels, pixels, inBlock, outBlock, first, end);
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
        LayoutCalls.convertBytes(in, inOffset, out, outOffset, channels, pixels, inBlock, outBlock, first, end);
    }

    @Override
    public void transpose(
            float[] in, int inOffset, int inStep, float[] out, int outOffset, int outStep, int rows, int cols) {
        LayoutCalls.transposeFloats(in, inOffset, out, outOffset, rows, cols, inStep, outStep);
    }

    @Override
    public void transpose(
            byte[] in, int inOffset, int inStep, byte[] out, int outOffset, int outStep, int rows, int cols) {
        LayoutCalls.transposeBytes(in, inOffset, out, outOffset, rows, cols, inStep, outStep);
    }
}
