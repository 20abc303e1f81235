package org.torchnnapi.kernels.internal.vector;

import static org.torchnnapi.kernels.internal.vector.Lanes.V;

import org.torchnnapi.kernels.QuantizedSum;
import org.torchnnapi.kernels.internal.QuantizedSumKernel;

/** Sums of bytes by the fixed-point rule, a vector at a time; the last few by the plain kernel. */
record VectorSum(QuantizedSum rule, QuantizedSumKernel plain) implements QuantizedSumKernel {
    @Override
    public void run(byte[] a, int aOffset, byte[] b, int bOffset, byte[] out, int outOffset, int count) {
        int body = 0;
        if (count >= V && WarmUp.isSumReady()) {
            body = count / V * V;
            boolean signed = rule.isSigned();
            int raised = signed ? 0 : 128 * (rule.multiplierA() + rule.multiplierB());
            ByteLanes.sum(
                    a,
                    aOffset,
                    b,
                    bOffset,
                    out,
                    outOffset,
                    body,
                    (byte) (signed ? 0 : 0x80),
                    rule.multiplierA(),
                    rule.multiplierB(),
                    rule.offset() + raised,
                    rule.shift(),
                    rule.zeroPoint(),
                    rule.min(),
                    rule.max());
        }
        plain.run(a, aOffset + body, b, bOffset + body, out, outOffset + body, count - body);
    }
}
