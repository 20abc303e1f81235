package org.torchnnapi.kernels.internal.portable;

import org.torchnnapi.kernels.Rounding;
import org.torchnnapi.kernels.internal.ResizeKernel;
import org.torchnnapi.kernels.internal.ResizeSpec;

/** Any resizing, by plain loops with the channels of a block innermost. */
public record PortableResize(ResizeSpec spec) implements ResizeKernel {
    @Override
    public void run(float[] in, int inOffset, float[] out, int outOffset, int begin, int end) {
        int block = spec.block();
        int row = spec.inW() * block;
        int[] lows = spec.cols().low();
        int[] highs = spec.cols().high();
        float[] weights = spec.cols().weight();
        for (int unit = begin; unit < end; unit++) {
            int plane = inOffset + unit / spec.outH() * spec.inH() * row;
            int y = unit % spec.outH();
            int top = plane + spec.rows().low()[y] * row;
            int bottom = plane + spec.rows().high()[y] * row;
            int fused = Math.max(0, Math.min(spec.channels() / 8 * 8 - unit / spec.outH() * block, block));
            for (int x = 0; x < lows.length; x++) {
                int target = outOffset + (unit * lows.length + x) * block;
                if (!spec.bilinear()) {
                    System.arraycopy(in, top + lows[x] * block, out, target, block);
                    continue;
                }
                int low = lows[x] * block;
                int high = highs[x] * block;
                if (spec.byCorners()) {
                    mixCorners(
                            in,
                            top + low,
                            top + high,
                            bottom + low,
                            bottom + high,
                            spec.rows().weight()[y],
                            weights[x],
                            out,
                            target,
                            fused,
                            block);
                } else {
                    mix(
                            in,
                            top + low,
                            top + high,
                            bottom + low,
                            bottom + high,
                            spec.rows().weight()[y],
                            weights[x],
                            out,
                            target,
                            block);
                }
            }
        }
    }

    /**
     * {@code x * y + z} rounded once, except that a sum of 53 bits is rounded before it is one of 24: other than that
     * once in 10^8.
     */
    private static float fma(float x, float y, float z) {
        return (float) ((double) x * y + z);
    }

    private static void mix(
            float[] in, int a, int b, int c, int d, float wy, float wx, float[] out, int target, int n) {
        float vx = 1 - wx;
        float vy = 1 - wy;
        for (int i = 0; i < n; i++) {
            out[target + i] = fma(fma(in[a + i], vx, in[b + i] * wx), vy, fma(in[c + i], vx, in[d + i] * wx) * wy);
        }
    }

    private static void mixCorners(
            float[] in, int a, int b, int c, int d, float wy, float wx, float[] out, int target, int fused, int n) {
        float wa = (1 - wy) * (1 - wx);
        float wb = (1 - wy) * wx;
        float wc = wy * (1 - wx);
        float wd = wy * wx;
        for (int i = 0; i < fused; i++) {
            out[target + i] = fma(in[a + i], wa, fma(in[b + i], wb, fma(in[d + i], wd, in[c + i] * wc)));
        }
        for (int i = fused; i < n; i++) {
            out[target + i] = (float) ((double) in[a + i] * wa
                    + (double) in[b + i] * wb
                    + (double) in[c + i] * wc
                    + (double) in[d + i] * wd);
        }
    }

    @Override
    public void run(
            byte[] in, int inOffset, byte[] out, int outOffset, boolean signed, Rounding rounding, int begin, int end) {
        int block = spec.block();
        int row = spec.inW() * block;
        int mask = signed ? -1 : 0xff;
        for (int unit = begin; unit < end; unit++) {
            int plane = inOffset + unit / spec.outH() * spec.inH() * row;
            int y = unit % spec.outH();
            int top = plane + spec.rows().low()[y] * row;
            int bottom = plane + spec.rows().high()[y] * row;
            float wy = spec.rows().weight()[y];
            for (int x = 0; x < spec.outW(); x++) {
                int target = outOffset + (unit * spec.outW() + x) * block;
                int left = spec.cols().low()[x] * block;
                if (!spec.bilinear()) {
                    System.arraycopy(in, top + left, out, target, block);
                    continue;
                }
                int right = spec.cols().high()[x] * block;
                float wx = spec.cols().weight()[x];
                for (int c = 0; c < block; c++) {
                    float mixed = (1 - wy)
                                    * ((1 - wx) * (in[top + left + c] & mask) + wx * (in[top + right + c] & mask))
                            + wy * ((1 - wx) * (in[bottom + left + c] & mask) + wx * (in[bottom + right + c] & mask));
                    out[target + c] = (byte) rounding.round(mixed);
                }
            }
        }
    }
}
