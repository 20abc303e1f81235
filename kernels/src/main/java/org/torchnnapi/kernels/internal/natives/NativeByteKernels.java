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
        BytesCalls.quantize(in, inOffset, out, outOffset, rule, count, scale, zeroPoint, min, max);
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
        BytesCalls.dequantize(in, inOffset, out, outOffset, signed, count, scale, zeroPoint);
    }

    @Override
    public void lookUp(byte[] in, int inOffset, byte[] out, int outOffset, int count, byte[] table) {
        if (count <= FEW) {
            FOR_FEW.lookUp(in, inOffset, out, outOffset, count, table);
            return;
        }
        lookUpRows(in, inOffset, table, out, outOffset, count, 1, 0);
    }

    @Override
    public void lookUpRows(byte[] bytes, int offset, int count, int rows, int step, byte[] table) {
        if (count * rows <= FEW) {
            FOR_FEW.lookUpRows(bytes, offset, count, rows, step, table);
            return;
        }
        lookUpRows(bytes, offset, table, bytes, offset, count, rows, step);
    }

    /** The same of heap arrays or memory outside of it, from one to the other. */
    static void lookUpRows(
            Object in, long inOffset, byte[] table, Object out, long outOffset, int count, int rows, int step) {
        if (NativeLibrary.SHUFFLES) {
            BytesCalls.lookUpShuffled(in, inOffset, table, out, outOffset, count, rows, step);
        } else {
            BytesCalls.lookUp(in, inOffset, table, out, outOffset, count, rows, step);
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
        if (count <= FEW) {
            FOR_FEW.lookUpPairs(a, aOffset, aStep, b, bOffset, bStep, out, outOffset, count, table);
            return;
        }
        BytesCalls.lookUpPairs(a, aOffset, b, bOffset, table, out, outOffset, count, aStep, bStep);
    }
}
