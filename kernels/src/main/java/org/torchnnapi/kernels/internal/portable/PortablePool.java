package org.torchnnapi.kernels.internal.portable;

import org.torchnnapi.kernels.Pooling;
import org.torchnnapi.kernels.Rounding;
import org.torchnnapi.kernels.internal.PoolKernel;
import org.torchnnapi.kernels.internal.PoolSpec;

/** Any pooling, by plain loops. */
public record PortablePool(PoolSpec spec) implements PoolKernel {
    @Override
    public void run(float[] in, int inOffset, float[] out, int outOffset, int begin, int end) {
        if (spec.kind() == Pooling.Kind.MAX) {
            PoolLoops.max(spec, in, inOffset, out, outOffset, begin, end);
        } else {
            PoolLoops.average(spec, in, inOffset, out, outOffset, begin, end);
        }
    }

    @Override
    public void run(
            byte[] in,
            int inOffset,
            byte[] out,
            int outOffset,
            boolean signed,
            int origin,
            int padding,
            Rounding rounding,
            int min,
            int max,
            int begin,
            int end) {
        PoolLoops.quantized(
                spec, in, inOffset, out, outOffset, signed, origin, padding, rounding, min, max, begin, end);
    }
}
