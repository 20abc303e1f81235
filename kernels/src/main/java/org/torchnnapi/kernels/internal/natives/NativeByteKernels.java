package org.torchnnapi.kernels.internal.natives;

import org.torchnnapi.kernels.ByteProduct;
import org.torchnnapi.kernels.QuantizedSum;
import org.torchnnapi.kernels.Quantizing;
import org.torchnnapi.kernels.internal.ByteKernels;
import org.torchnnapi.kernels.internal.ByteProductKernel;
import org.torchnnapi.kernels.internal.QuantizedSumKernel;
import org.torchnnapi.kernels.internal.portable.PortableByteKernels;
import org.torchnnapi.kernels.internal.portable.PortableSum;

/** The element-wise kernels over bytes in C. */
public final class NativeByteKernels implements ByteKernels {
    /** Bytes that a loop in Java has looked up before a call of C returns. */
    private static final int FEW = 32;

    private static final ByteKernels FOR_FEW = new PortableByteKernels();

    private static final class Changes {
        static final NativeCall QUANTIZE = NativeCall.of("quantize");
        static final NativeCall DEQUANTIZE = NativeCall.of("dequantize");
    }

    private static final class Tables {
        static final NativeCall LOOK_UP = NativeCall.of("look_up");
        static final NativeCall LOOK_UP_PAIRS = NativeCall.of("look_up_pairs");
    }

    @Override
    public QuantizedSumKernel sum(QuantizedSum rule) {
        return rule.isFixedPoint() ? new NativeSum(rule) : new PortableSum(rule);
    }

    @Override
    public ByteProductKernel product(ByteProduct rule) {
        return new NativeProduct(rule);
    }

    @Override
    public boolean multipliesFast() {
        return true;
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
        Changes.QUANTIZE.run(
                null, in, inOffset, null, 0, out, outOffset, rule.ordinal(), count, 0, zeroPoint, min, max, scale, 0);
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
        Changes.DEQUANTIZE.run(
                null, in, inOffset, null, 0, out, outOffset, signed ? 1 : 0, count, 0, zeroPoint, 0, 0, scale, 0);
    }

    @Override
    public void lookUp(byte[] in, int inOffset, byte[] out, int outOffset, int count, byte[] table) {
        if (count <= FEW) {
            FOR_FEW.lookUp(in, inOffset, out, outOffset, count, table);
            return;
        }
        Tables.LOOK_UP.run(null, in, inOffset, table, 0, out, outOffset, 0, count, 0, 0, 0, 0, 0, 0);
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
        if (count <= FEW) {
            FOR_FEW.lookUpPairs(a, aOffset, aStep, b, bOffset, bStep, out, outOffset, count, table);
            return;
        }
        Tables.LOOK_UP_PAIRS.run(table, a, aOffset, b, bOffset, out, outOffset, 0, count, 0, aStep, bStep, 0, 0, 0);
    }
}
