package org.torchnnapi.kernels.internal.natives;

import org.torchnnapi.kernels.ByteProduct;
import org.torchnnapi.kernels.internal.ByteProductKernel;

/** Products of bytes in C. */
final class NativeProduct implements ByteProductKernel {
    private final NativeMemory struct;

    NativeProduct(ByteProduct rule) {
        struct = new ProductStruct()
                .zeroA(rule.zeroA())
                .zeroB(rule.zeroB())
                .factor(rule.factor())
                .rest(rule.rest())
                .zeroPoint(rule.zeroPoint())
                .min(rule.min())
                .max(rule.max())
                .isSigned(rule.isSigned())
                .memory();
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
        BytesCalls.multiplyBytes(struct, a, aOffset, b, bOffset, out, outOffset, count, rows, bStep, bRow);
    }
}
