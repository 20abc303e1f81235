package org.torchnnapi.kernels.internal.portable;

import org.torchnnapi.kernels.ByteProduct;
import org.torchnnapi.kernels.internal.ByteProductKernel;

/** Products of bytes, an element at a time. */
public record PortableProduct(ByteProduct rule) implements ByteProductKernel {
    @Override
    public void run(
            byte[] a,
            int aOffset,
            byte[] b,
            int bOffset,
            int bStep,
            int bRow,
            byte[] out,
            int outOffset,
            int count,
            int rows) {
        int mask = rule.isSigned() ? -1 : 0xff;
        for (int row = 0; row < rows; row++) {
            int from = row * count;
            int other = bOffset + row * bRow;
            for (int i = 0; i < count; i++) {
                out[outOffset + from + i] =
                        (byte) rule.apply(a[aOffset + from + i] & mask, b[other + i * bStep] & mask);
            }
        }
    }
}
