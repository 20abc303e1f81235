package org.torchnnapi.kernels.internal.natives;

import org.torchnnapi.kernels.QuantizedSum;
import org.torchnnapi.kernels.internal.QuantizedSumKernel;

/** Sums of bytes by the fixed-point rule in C. */
final class NativeSum implements QuantizedSumKernel {
    private final NativeMemory struct;

    NativeSum(QuantizedSum rule) {
        struct = new SumStruct()
                .multiplierA(rule.multiplierA())
                .multiplierB(rule.multiplierB())
                .offset(rule.offset())
                .shift(rule.shift())
                .zeroPoint(rule.zeroPoint())
                .min(rule.min())
                .max(rule.max())
                .isSigned(rule.isSigned())
                .memory();
    }

    @Override
    public void run(byte[] a, int aOffset, byte[] b, int bOffset, byte[] out, int outOffset, int count) {
        runRows(a, aOffset, b, bOffset, out, outOffset, count, 1, 0);
    }

    @Override
    public void runRows(
            byte[] a, int aOffset, byte[] b, int bOffset, byte[] out, int outOffset, int count, int rows, int step) {
        BytesCalls.sumBytes(struct, a, aOffset, b, bOffset, out, outOffset, count, rows, step);
    }
}
