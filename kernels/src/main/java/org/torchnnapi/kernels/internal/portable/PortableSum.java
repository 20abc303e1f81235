package org.torchnnapi.kernels.internal.portable;

import org.torchnnapi.kernels.QuantizedSum;
import org.torchnnapi.kernels.internal.QuantizedSumKernel;

/** Sums of bytes: the fixed-point rule as one straight loop over integers, the other an element at a time. */
public record PortableSum(QuantizedSum rule) implements QuantizedSumKernel {
    @Override
    public void run(byte[] a, int aOffset, byte[] b, int bOffset, byte[] out, int outOffset, int count) {
        if (rule.isFixedPoint()) {
            fixedPoint(
                    a,
                    aOffset,
                    b,
                    bOffset,
                    out,
                    outOffset,
                    count,
                    rule.isSigned() ? -1 : 0xff,
                    rule.multiplierA(),
                    rule.multiplierB(),
                    rule.offset(),
                    rule.shift(),
                    rule.zeroPoint(),
                    rule.min(),
                    rule.max());
            return;
        }
        for (int i = 0; i < count; i++) {
            out[outOffset + i] = (byte) rule.apply(a[aOffset + i], b[bOffset + i]);
        }
    }

    private static void fixedPoint(
            byte[] a,
            int aOffset,
            byte[] b,
            int bOffset,
            byte[] out,
            int outOffset,
            int count,
            int mask,
            int multiplierA,
            int multiplierB,
            int offset,
            int shift,
            int zeroPoint,
            int min,
            int max) {
        int fraction = (int) ((1L << shift) - 1);
        int half = fraction >>> 1;
        for (int i = 0; i < count; i++) {
            int sum = (a[aOffset + i] & mask) * multiplierA + (b[bOffset + i] & mask) * multiplierB + offset;
            // One more where the remainder, less one for a negative sum, is above the half.
            int up = half - (sum & fraction) - (sum >> 31) >>> 31;
            out[outOffset + i] = (byte) Math.min(Math.max((sum >> shift) + up + zeroPoint, min), max);
        }
    }
}
