package org.torchnnapi.kernels.internal.vector;

import static org.torchnnapi.kernels.internal.vector.Lanes.V;

import org.torchnnapi.kernels.QuantizedSum;
import org.torchnnapi.kernels.Quantizing;
import org.torchnnapi.kernels.internal.QuantizedSumKernel;
import org.torchnnapi.kernels.internal.portable.PortableByteKernels;

/** The kernels over bytes written with the Vector API; what has none here is the portable one. */
public final class VectorByteKernels extends PortableByteKernels {
    @Override
    public QuantizedSumKernel sum(QuantizedSum rule) {
        return rule.isFixedPoint() && ByteLanes.SUPPORTED ? new VectorSum(rule, super.sum(rule)) : super.sum(rule);
    }

    @Override
    public void quantize(
            Quantizing.Rule rule,
            float[] in,
            int inOffset,
            byte[] out,
            int outOffset,
            int count,
            float scale,
            int zeroPoint,
            int min,
            int max) {
        int body = 0;
        if (rule == Quantizing.Rule.PRODUCT_HALF_EVEN
                && ByteLanes.SUPPORTED
                && count >= V
                && WarmUp.isQuantizeReady()) {
            body = count / V * V;
            ByteLanes.quantize(
                    in,
                    inOffset,
                    out,
                    outOffset,
                    body,
                    1 / scale,
                    Lanes.roundedBits(min - zeroPoint),
                    Lanes.roundedBits(max - zeroPoint),
                    zeroPoint);
        }
        super.quantize(rule, in, inOffset + body, out, outOffset + body, count - body, scale, zeroPoint, min, max);
    }
}
