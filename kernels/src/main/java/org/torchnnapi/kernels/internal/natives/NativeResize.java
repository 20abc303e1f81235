package org.torchnnapi.kernels.internal.natives;

import org.torchnnapi.kernels.Rounding;
import org.torchnnapi.kernels.internal.ResizeKernel;
import org.torchnnapi.kernels.internal.ResizeSpec;

/** Resizings in C. */
final class NativeResize implements ResizeKernel {
    private static final NativeCall FLOATS = NativeCall.of("resize_floats");
    private static final NativeCall BYTES = NativeCall.of("resize_bytes");
    private static final int STRUCT_SIZE = 80;

    private final NativeMemory struct;

    NativeResize(ResizeSpec spec) {
        struct = new NativeStruct(STRUCT_SIZE)
                .pointers(axis(spec.rows()))
                .pointers(axis(spec.cols()))
                .ints(
                        spec.bilinear() ? 1 : 0,
                        spec.byCorners() ? 1 : 0,
                        spec.block(),
                        spec.channels(),
                        spec.inH(),
                        spec.inW(),
                        spec.outH(),
                        spec.outW())
                .memory();
    }

    private static NativeMemory[] axis(ResizeSpec.Axis axis) {
        return new NativeMemory[] {
            NativeMemory.copyOf(axis.low()), NativeMemory.copyOf(axis.high()), NativeMemory.copyOf(axis.weight())
        };
    }

    @Override
    public void run(float[] in, int inOffset, float[] out, int outOffset, int begin, int end) {
        FLOATS.run(struct, in, inOffset, null, 0, out, outOffset, 0, begin, end, 0, 0, 0, 0, 0);
    }

    @Override
    public void run(
            byte[] in, int inOffset, byte[] out, int outOffset, boolean signed, Rounding rounding, int begin, int end) {
        BYTES.run(
                struct,
                in,
                inOffset,
                null,
                0,
                out,
                outOffset,
                (signed ? 1 : 0) + 2 * rounding.ordinal(),
                begin,
                end,
                0,
                0,
                0,
                0,
                0);
    }
}
