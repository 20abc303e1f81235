package org.torchnnapi.kernels.internal.portable;

import org.torchnnapi.kernels.ByteProduct;
import org.torchnnapi.kernels.QuantizedSum;
import org.torchnnapi.kernels.Quantizing;
import org.torchnnapi.kernels.internal.ByteKernels;
import org.torchnnapi.kernels.internal.ByteProductKernel;
import org.torchnnapi.kernels.internal.QuantizedSumKernel;

/** The element-wise kernels over bytes that run on every JVM. */
public class PortableByteKernels implements ByteKernels {
    @Override
    public QuantizedSumKernel sum(QuantizedSum rule) {
        return new PortableSum(rule);
    }

    @Override
    public ByteProductKernel product(ByteProduct rule) {
        return new PortableProduct(rule);
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
        if (rule == Quantizing.Rule.PRODUCT_HALF_EVEN) {
            float inverse = 1 / scale;
            for (int i = 0; i < count; i++) {
                float steps = in[inOffset + i] * inverse;
                // So a NaN is the least.
                float raised = steps > min - zeroPoint ? steps : min - zeroPoint;
                out[outOffset + i] = (byte) ((int) Math.rint(Math.min(raised, max - zeroPoint)) + zeroPoint);
            }
            return;
        }
        for (int i = 0; i < count; i++) {
            double steps = Math.min(Math.max(rule.steps(in[inOffset + i], scale), min - zeroPoint), max - zeroPoint);
            out[outOffset + i] = (byte) ((int) steps + zeroPoint);
        }
    }

    @Override
    public void dequantize(
            byte[] in,
            int inOffset,
            float[] out,
            int outOffset,
            int count,
            float scale,
            int zeroPoint,
            boolean signed) {
        int mask = signed ? -1 : 0xff;
        for (int i = 0; i < count; i++) {
            out[outOffset + i] = ((in[inOffset + i] & mask) - zeroPoint) * scale;
        }
    }

    @Override
    public void lookUp(byte[] in, int inOffset, byte[] out, int outOffset, int count, byte[] table) {
        for (int i = 0; i < count; i++) {
            out[outOffset + i] = table[in[inOffset + i] & 0xff];
        }
    }

    @Override
    public void lookUpPairs(
            byte[] a,
            int aOffset,
            int aStep,
            byte[] b,
            int bOffset,
            int bStep,
            byte[] out,
            int outOffset,
            int count,
            byte[] table) {
        for (int i = 0; i < count; i++) {
            out[outOffset + i] = table[(a[aOffset + i * aStep] & 0xff) << 8 | b[bOffset + i * bStep] & 0xff];
        }
    }
}
