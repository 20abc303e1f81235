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
            for (int x = 0; x < lows.length; x++) {
                int target = outOffset + (unit * lows.length + x) * block;
                if (spec.bilinear()) {
                    mix(in, top + lows[x] * block, top + highs[x] * block, bottom + lows[x] * block, bottom + highs[x] * block,
                        spec.rows().weight()[y], weights[x], out, target, block);
                } else {
                    System.arraycopy(in, top + lows[x] * block, out, target, block);
                }
            }
        }
    }

    private static void mix(float[] in, int a, int b, int c, int d, float wy, float wx, float[] out, int target, int n) {
        for (int i = 0; i < n; i++) {
            out[target + i] = (1 - wy) * ((1 - wx) * in[a + i] + wx * in[b + i]) + wy * ((1 - wx) * in[c + i] + wx * in[d + i]);
        }
    }

    @Override
    public void run(byte[] in, int inOffset, byte[] out, int outOffset, boolean signed, Rounding rounding, int begin, int end) {
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
                    float mixed = (1 - wy) * ((1 - wx) * (in[top + left + c] & mask) + wx * (in[top + right + c] & mask))
                        + wy * ((1 - wx) * (in[bottom + left + c] & mask) + wx * (in[bottom + right + c] & mask));
                    out[target + c] = (byte) rounding.round(mixed);
                }
            }
        }
    }
}
