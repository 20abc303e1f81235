package org.torchnnapi.kernels.internal.natives;

import org.torchnnapi.kernels.Pooling;
import org.torchnnapi.kernels.Rounding;
import org.torchnnapi.kernels.internal.Bands;
import org.torchnnapi.kernels.internal.PoolKernel;
import org.torchnnapi.kernels.internal.PoolSpec;
import org.torchnnapi.kernels.internal.portable.PortablePool;

/** Poolings in C: of floats, and of bytes whose channels lie together. */
final class NativePool implements PoolKernel {
    private static final NativeCall FLOATS = NativeCall.of("pool_floats");
    /** As in pool.c. */
    private static final int STRIP = 512;
    /** So many bytes make a sum that a float divides well enough. */
    private static final int MOST_BYTES = 1 << 14;

    private static final class OfBytes {
        static final NativeCall BYTES = NativeCall.of("pool_bytes");
    }

    private final PoolSpec spec;
    private final NativeMemory struct;
    private final PoolKernel others;

    NativePool(PoolSpec spec) {
        this.spec = spec;
        others = new PortablePool(spec);
        Pooling.Window w = spec.window();
        boolean max = spec.kind() == Pooling.Kind.MAX;
        // What threads have computed, and will read, is in their own caches where a pooling is cut as the convolutions
        // around are: by rows where there are more pixels than channels. Few bands, so that most windows share rows
        // with the last one.
        boolean byRows = spec.block() > 1 && (long) w.inH() * w.inW() >= w.channels();
        int bands = byRows ? Math.max(1, Bands.wanted() / 2) : 1;
        int band = (w.outH() + bands - 1) / bands;
        int[] numbers = {
            spec.kind().ordinal(),
            spec.block(),
            w.inH(),
            w.inW(),
            w.outH(),
            w.outW(),
            w.kernelH(),
            w.kernelW(),
            w.strideH(),
            w.strideW(),
            max ? w.dilationH() : 1,
            max ? w.dilationW() : 1,
            w.padTop(),
            w.padLeft(),
            w.padBottom(),
            w.padRight(),
            spec.group(),
            (w.channels() + spec.block() - 1) / spec.block(),
            band
        };
        struct = NativeMemory.copyOf(numbers);
    }

    /** Where channels lie apart, a window's columns must fit a strip. */
    static boolean covers(PoolSpec spec) {
        Pooling.Window w = spec.window();
        return spec.block() > 1 || (w.kernelW() - 1L) * w.dilationW() < STRIP;
    }

    @Override
    public void run(float[] in, int inOffset, float[] out, int outOffset, int begin, int end) {
        FLOATS.run(
                struct,
                in,
                inOffset,
                null,
                0,
                out,
                outOffset,
                0,
                begin,
                end,
                0,
                0,
                0,
                spec.clamp().min(),
                spec.clamp().max());
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
        if (spec.block() == 1 || (long) spec.window().kernelH() * spec.window().kernelW() > MOST_BYTES) {
            others.run(in, inOffset, out, outOffset, signed, origin, padding, rounding, min, max, begin, end);
            return;
        }
        OfBytes.BYTES.run(
                struct,
                in,
                inOffset,
                null,
                0,
                out,
                outOffset,
                (signed ? 1 : 0) + 2 * rounding.ordinal(),
                begin,
                end,
                Float.floatToRawIntBits(spec.factor()),
                origin,
                padding,
                min,
                max);
    }
}
