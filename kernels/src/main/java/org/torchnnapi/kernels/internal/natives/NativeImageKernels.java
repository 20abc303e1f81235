package org.torchnnapi.kernels.internal.natives;

import org.torchnnapi.kernels.internal.ImageKernels;
import org.torchnnapi.kernels.internal.PoolKernel;
import org.torchnnapi.kernels.internal.PoolSpec;
import org.torchnnapi.kernels.internal.ResizeKernel;
import org.torchnnapi.kernels.internal.ResizeSpec;
import org.torchnnapi.kernels.internal.portable.PortablePool;

/** The image kernels in C; a pooling that they do not cover is done by plain loops. */
public final class NativeImageKernels implements ImageKernels {
    private static final class Layouts {
        static final NativeCall CONVERT_FLOATS = NativeCall.of("convert_floats");
        static final NativeCall CONVERT_BYTES = NativeCall.of("convert_bytes");
    }

    private static final class Transposes {
        static final NativeCall FLOATS = NativeCall.of("transpose_floats");
        static final NativeCall BYTES = NativeCall.of("transpose_bytes");
    }

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
        Layouts.CONVERT_FLOATS.run(
                null, in, inOffset, null, 0, out, outOffset, channels, first, end, pixels, inBlock, outBlock, 0, 0);
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
        Layouts.CONVERT_BYTES.run(
                null, in, inOffset, null, 0, out, outOffset, channels, first, end, pixels, inBlock, outBlock, 0, 0);
    }

    @Override
    public void transpose(
            float[] in, int inOffset, int inStep, float[] out, int outOffset, int outStep, int rows, int cols) {
        Transposes.FLOATS.run(null, in, inOffset, null, 0, out, outOffset, 0, rows, cols, inStep, outStep, 0, 0, 0);
    }

    @Override
    public void transpose(
            byte[] in, int inOffset, int inStep, byte[] out, int outOffset, int outStep, int rows, int cols) {
        Transposes.BYTES.run(null, in, inOffset, null, 0, out, outOffset, 0, rows, cols, inStep, outStep, 0, 0, 0);
    }
}
