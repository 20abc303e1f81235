package org.torchnnapi.kernels.internal.foreign;

import static java.lang.foreign.MemorySegment.NULL;
import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.torchnnapi.kernels.internal.foreign.Segments.ofArray;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.torchnnapi.kernels.Rounding;
import org.torchnnapi.kernels.internal.ResizeKernel;
import org.torchnnapi.kernels.internal.ResizeSpec;

/** Resizings in C. */
final class NativeResize implements ResizeKernel {
    private static final NativeCall FLOATS = NativeCall.of("resize_floats");
    private static final NativeCall BYTES = NativeCall.of("resize_bytes");
    private static final int POINTERS = 6;

    private final MemorySegment struct;

    NativeResize(ResizeSpec spec) {
        Arena arena = Arena.ofAuto();
        int[] numbers = {spec.bilinear() ? 1 : 0, spec.block(), spec.inH(), spec.inW(), spec.outH(), spec.outW()};
        struct = arena.allocate(8L * POINTERS + 4L * numbers.length, 64);
        axis(spec.rows(), 0, arena);
        axis(spec.cols(), 24, arena);
        MemorySegment.copy(numbers, 0, struct, JAVA_INT, 8L * POINTERS, numbers.length);
    }

    private void axis(ResizeSpec.Axis axis, long at, Arena arena) {
        struct.set(ADDRESS, at, arena.allocateFrom(JAVA_INT, axis.low()));
        struct.set(ADDRESS, at + 8, arena.allocateFrom(JAVA_INT, axis.high()));
        struct.set(ADDRESS, at + 16, arena.allocateFrom(JAVA_FLOAT, axis.weight()));
    }

    @Override
    public void run(float[] in, int inOffset, float[] out, int outOffset, int begin, int end) {
        FLOATS.run(struct, ofArray(in), inOffset, NULL, 0, ofArray(out), outOffset, 0, begin, end, 0, 0, 0, 0, 0);
    }

    @Override
    public void run(byte[] in, int inOffset, byte[] out, int outOffset, boolean signed, Rounding rounding, int begin, int end) {
        BYTES.run(struct, ofArray(in), inOffset, NULL, 0, ofArray(out), outOffset, (signed ? 1 : 0) + 2 * rounding.ordinal(), begin, end, 0, 0,
            0, 0, 0);
    }
}
