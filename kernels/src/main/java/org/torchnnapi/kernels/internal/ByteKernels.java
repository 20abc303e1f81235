package org.torchnnapi.kernels.internal;

import org.torchnnapi.kernels.ByteProduct;
import org.torchnnapi.kernels.QuantizedSum;
import org.torchnnapi.kernels.Quantizing;

/** Element-wise kernels over bytes of one provider. Callers checked the arguments. */
public interface ByteKernels {
    QuantizedSumKernel sum(QuantizedSum rule);

    ByteProductKernel product(ByteProduct rule);

    /** Whether a product is faster than a table of all pairs. */
    default boolean multipliesFast() {
        return false;
    }

    void quantize(
            Quantizing.Rule rule,
            float[] in,
            int inOffset,
            byte[] out,
            int outOffset,
            int count,
            float scale,
            int zeroPoint,
            int min,
            int max);

    void dequantize(
            byte[] in, int inOffset, float[] out, int outOffset, int count, float scale, int zeroPoint, boolean signed);

    /** {@code out[i] = table[in[i] & 255]}. */
    void lookUp(byte[] in, int inOffset, byte[] out, int outOffset, int count, byte[] table);

    /** The same in place, of rows of {@code count} bytes that begin {@code step} apart. */
    default void lookUpRows(byte[] bytes, int offset, int count, int rows, int step, byte[] table) {
        for (int row = 0; row < rows; row++) {
            lookUp(bytes, offset + row * step, bytes, offset + row * step, count, table);
        }
    }

    /** {@code out[i] = table[(a[i * aStep] & 255) << 8 | b[i * bStep] & 255]}. */
    void lookUpPairs(
            byte[] a,
            int aOffset,
            int aStep,
            byte[] b,
            int bOffset,
            int bStep,
            byte[] out,
            int outOffset,
            int count,
            byte[] table);
}
