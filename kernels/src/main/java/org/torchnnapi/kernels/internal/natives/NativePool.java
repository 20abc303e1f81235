package org.torchnnapi.kernels.internal.natives;

import org.torchnnapi.kernels.Pooling;
import org.torchnnapi.kernels.Rounding;
import org.torchnnapi.kernels.internal.Bands;
import org.torchnnapi.kernels.internal.PoolKernel;
import org.torchnnapi.kernels.internal.PoolSpec;
import org.torchnnapi.kernels.internal.portable.PortablePool;

/** Poolings in C: of floats, and of bytes whose channels lie together. */
final class NativePool implements PoolKernel {
    /** As in pool.c. */
    private static final int STRIP = 512;
    /** So many bytes make a sum that a float divides well enough. */
    private static final int MOST_BYTES = 1 << 14;

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
        struct = new PoolStruct()
                .kind(spec.kind())
                .block(spec.block())
                .inH(w.inH())
                .inW(w.inW())
                .outH(w.outH())
                .outW(w.outW())
                .kernelH(w.kernelH())
                .kernelW(w.kernelW())
                .strideH(w.strideH())
                .strideW(w.strideW())
                .dilationH(max ? w.dilationH() : 1)
                .dilationW(max ? w.dilationW() : 1)
                .padTop(w.padTop())
                .padLeft(w.padLeft())
                .padBottom(w.padBottom())
                .padRight(w.padRight())
                .adaptive(w.adaptive())
                .group(spec.group())
                .planes((w.channels() + spec.block() - 1) / spec.block())
                .band(band)
                .memory();
    }

    /** Where channels lie apart, a window's columns must fit a strip. */
    static boolean covers(PoolSpec spec) {
        Pooling.Window w = spec.window();
        return spec.block() > 1 || (w.kernelW() - 1L) * w.dilationW() < STRIP;
    }

    @Override
    public void run(float[] in, int inOffset, float[] out, int outOffset, int begin, int end) {
        PoolCalls.poolFloats(
                struct,
                in,
                inOffset,
                out,
                outOffset,
                begin,
                end,
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
        PoolCalls.poolBytes(
                struct,
                in,
                inOffset,
                out,
                outOffset,
                signed,
                rounding,
                begin,
                end,
                origin,
                padding,
                min,
                max,
                spec.factor());
    }
}
