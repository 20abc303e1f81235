package org.torchnnapi.kernels.internal.natives;

import org.torchnnapi.kernels.QuantizedSum;
import org.torchnnapi.kernels.internal.QuantizedSumKernel;

/** Sums of bytes by the fixed-point rule in C. */
final class NativeSum implements QuantizedSumKernel {
    private static final NativeCall SUM = NativeCall.of("sum_bytes");

    private final NativeMemory struct;

    NativeSum(QuantizedSum rule) {
        struct = struct(rule);
    }

    /** {@code struct sum} of sum.h. */
    static NativeMemory struct(QuantizedSum rule) {
        return NativeMemory.copyOf(
                rule.multiplierA(),
                rule.multiplierB(),
                rule.offset(),
                rule.shift(),
                rule.zeroPoint(),
                rule.min(),
                rule.max(),
                rule.isSigned() ? 1 : 0);
    }

    @Override
    public void run(byte[] a, int aOffset, byte[] b, int bOffset, byte[] out, int outOffset, int count) {
        runRows(a, aOffset, b, bOffset, out, outOffset, count, 1, 0);
    }

    @Override
    public void runRows(
            byte[] a, int aOffset, byte[] b, int bOffset, byte[] out, int outOffset, int count, int rows, int step) {
        SUM.run(struct, a, aOffset, b, bOffset, out, outOffset, 0, count, rows, step, 0, 0, 0, 0);
    }
}
