package org.torchnnapi.kernels.internal.natives;

import org.torchnnapi.kernels.Rounding;
import org.torchnnapi.kernels.internal.ResizeKernel;
import org.torchnnapi.kernels.internal.ResizeSpec;

/** Resizings in C. */
final class NativeResize implements ResizeKernel {
    private final NativeMemory struct;

    NativeResize(ResizeSpec spec) {
        struct = new ResizeStruct()
                .rowLow(NativeMemory.copyOf(spec.rows().low()))
                .rowHigh(NativeMemory.copyOf(spec.rows().high()))
                .rowWeight(NativeMemory.copyOf(spec.rows().weight()))
                .colLow(NativeMemory.copyOf(spec.cols().low()))
                .colHigh(NativeMemory.copyOf(spec.cols().high()))
                .colWeight(NativeMemory.copyOf(spec.cols().weight()))
                .bilinear(spec.bilinear())
                .byCorners(spec.byCorners())
                .block(spec.block())
                .channels(spec.channels())
                .inH(spec.inH())
                .inW(spec.inW())
                .outH(spec.outH())
                .outW(spec.outW())
                .memory();
    }

    @Override
    public void run(float[] in, int inOffset, float[] out, int outOffset, int begin, int end) {
        ResizeCalls.resizeFloats(struct, in, inOffset, out, outOffset, begin, end);
    }

    @Override
    public void run(
            byte[] in, int inOffset, byte[] out, int outOffset, boolean signed, Rounding rounding, int begin, int end) {
        ResizeCalls.resizeBytes(struct, in, inOffset, out, outOffset, signed, rounding, begin, end);
    }
}
