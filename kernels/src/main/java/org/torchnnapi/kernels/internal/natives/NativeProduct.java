package org.torchnnapi.kernels.internal.natives;

import org.torchnnapi.kernels.ByteProduct;
import org.torchnnapi.kernels.internal.ByteProductKernel;

/** Products of bytes in C. */
final class NativeProduct implements ByteProductKernel {
    private static final NativeCall MULTIPLY = NativeCall.of("multiply_bytes");

    private final NativeMemory struct;

    NativeProduct(ByteProduct rule) {
        struct = NativeMemory.copyOf(
                rule.zeroA(),
                rule.zeroB(),
                Float.floatToRawIntBits(rule.factor()),
                Float.floatToRawIntBits(rule.rest()),
                rule.zeroPoint(),
                rule.min(),
                rule.max(),
                rule.isSigned() ? 1 : 0);
    }

    @Override
    public void run(
            byte[] a,
            int aOffset,
            byte[] b,
            int bOffset,
            int bStep,
            int bRow,
            byte[] out,
            int outOffset,
            int count,
            int rows) {
        MULTIPLY.run(struct, a, aOffset, b, bOffset, out, outOffset, 0, count, rows, bStep, bRow, 0, 0, 0);
    }
}
