package org.torchnnapi.kernels.internal.foreign;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.torchnnapi.kernels.internal.foreign.Segments.ofArray;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.torchnnapi.kernels.QuantizedSum;
import org.torchnnapi.kernels.internal.QuantizedSumKernel;

/** Sums of bytes by the fixed-point rule in C. */
final class NativeSum implements QuantizedSumKernel {
    private static final NativeCall SUM = NativeCall.of("sum_bytes");

    private final MemorySegment struct;

    NativeSum(QuantizedSum rule) {
        struct = struct(rule, Arena.ofAuto());
    }

    /** {@code struct sum} of sum.h. */
    static MemorySegment struct(QuantizedSum rule, Arena arena) {
        return arena.allocateFrom(JAVA_INT, rule.multiplierA(), rule.multiplierB(), rule.offset(), rule.shift(), rule.zeroPoint(), rule.min(),
            rule.max(), rule.isSigned() ? 1 : 0);
    }

    @Override
    public void run(byte[] a, int aOffset, byte[] b, int bOffset, byte[] out, int outOffset, int count) {
        SUM.run(struct, ofArray(a), aOffset, ofArray(b), bOffset, ofArray(out), outOffset, 0, count, 0, 0, 0, 0, 0, 0);
    }
}
