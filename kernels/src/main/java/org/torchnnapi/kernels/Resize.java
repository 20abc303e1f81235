package org.torchnnapi.kernels;

/** Nearest and bilinear resizing of one image; input and output share one layout. */
public final class Resize {
    /** Which input coordinate an output coordinate means; {@code scale = in / out}. */
    public enum Coordinates {
        /** {@code out * scale}. */
        ASYMMETRIC,
        /** {@code (out + 0.5) * scale - 0.5}. */
        HALF_PIXEL,
        /** {@code out * (in - 1) / (out - 1)}: the corners' centres meet. */
        ALIGN_CORNERS
    }

    private final boolean bilinear;
    private final ImageLayout layout;
    private final int channels;
    private final int inH;
    private final int inW;
    private final int outH;
    private final int outW;
    private final Axis rows;
    private final Axis cols;

    /** For every output index its lower and upper neighbour and the upper one's weight. */
    private record Axis(int[] low, int[] high, float[] weight) {
    }

    private Resize(boolean bilinear, ImageLayout layout, int channels, int inH, int inW, int outH, int outW, Axis rows, Axis cols) {
        this.bilinear = bilinear;
        this.layout = layout;
        this.channels = channels;
        this.inH = inH;
        this.inW = inW;
        this.outH = outH;
        this.outW = outW;
        this.rows = rows;
        this.cols = cols;
    }

    /** @param scaleH input over output extent, as float; pass {@code (float) inH / outH} unless a scale was given */
    public static Resize bilinear(ImageLayout layout, int channels, int inH, int inW, int outH, int outW, Coordinates coordinates,
                                  float scaleH, float scaleW) {
        return plan(true, layout, channels, inH, inW, outH, outW, coordinates, scaleH, scaleW);
    }

    /**
     * Nearest neighbour: {@link Coordinates#ASYMMETRIC} and {@link Coordinates#HALF_PIXEL} (which here is
     * {@code (out + 0.5) * scale}) round down, {@link Coordinates#ALIGN_CORNERS} to nearest.
     */
    public static Resize nearest(ImageLayout layout, int channels, int inH, int inW, int outH, int outW, Coordinates coordinates,
                                 float scaleH, float scaleW) {
        return plan(false, layout, channels, inH, inW, outH, outW, coordinates, scaleH, scaleW);
    }

    private static Resize plan(boolean bilinear, ImageLayout layout, int channels, int inH, int inW, int outH, int outW,
                               Coordinates coordinates, float scaleH, float scaleW) {
        Check.atLeast("channels", channels, 1);
        Check.atLeast("input extent", Math.min(inH, inW), 1);
        Check.atLeast("output extent", Math.min(outH, outW), 1);
        return new Resize(bilinear, layout, channels, inH, inW, outH, outW, axis(bilinear, inH, outH, coordinates, scaleH),
            axis(bilinear, inW, outW, coordinates, scaleW));
    }

    private static Axis axis(boolean bilinear, int in, int out, Coordinates coordinates, float given) {
        if (!(given > 0) || Float.isInfinite(given)) {
            throw new IllegalArgumentException("scale: " + given + " (expected: finite and > 0)");
        }
        float scale = coordinates != Coordinates.ALIGN_CORNERS ? given : out > 1 ? (float) (in - 1) / (out - 1) : 0;
        int[] low = new int[out];
        int[] high = new int[out];
        float[] weight = new float[out];
        for (int i = 0; i < out; i++) {
            float at = coordinates == Coordinates.HALF_PIXEL ? (i + 0.5f) * scale - (bilinear ? 0.5f : 0) : i * scale;
            if (!bilinear) {
                long nearest = coordinates == Coordinates.ALIGN_CORNERS ? (long) Math.floor(at + 0.5f) : (long) Math.floor(at);
                low[i] = (int) Math.min(nearest, in - 1);
                continue;
            }
            float inside = Math.max(at, 0);
            low[i] = (int) Math.min((long) inside, in - 1);
            high[i] = Math.min(low[i] + 1, in - 1);
            weight[i] = Math.min(inside - low[i], 1);
        }
        return new Axis(low, high, weight);
    }

    /** Shares the work can be cut into: rows of the output. */
    public int units() {
        int block = layout.block(channels);
        return Math.multiplyExact((channels + block - 1) / block, outH);
    }

    /** Does units [begin, end) of one image. */
    public void run(float[] in, int inOffset, float[] out, int outOffset, int begin, int end) {
        check(in.length, inOffset, out.length, outOffset, begin, end);
        int block = layout.block(channels);
        for (int unit = begin; unit < end; unit++) {
            int plane = inOffset + unit / outH * inH * inW * block;
            int y = unit % outH;
            int top = plane + rows.low[y] * inW * block;
            int bottom = plane + rows.high[y] * inW * block;
            for (int x = 0; x < outW; x++) {
                int target = outOffset + (unit * outW + x) * block;
                if (bilinear) {
                    mix(in, top + cols.low[x] * block, top + cols.high[x] * block, bottom + cols.low[x] * block,
                        bottom + cols.high[x] * block, rows.weight[y], cols.weight[x], out, target, block);
                } else {
                    System.arraycopy(in, top + cols.low[x] * block, out, target, block);
                }
            }
        }
    }

    /**
     * Does units [begin, end) of one quantized image whose output has the input's scale and zero point; bilinear results, which are
     * means of the integers, are rounded.
     */
    public void run(byte[] in, int inOffset, byte[] out, int outOffset, boolean signed, Rounding rounding, int begin, int end) {
        check(in.length, inOffset, out.length, outOffset, begin, end);
        int block = layout.block(channels);
        int mask = signed ? -1 : 0xff;
        for (int unit = begin; unit < end; unit++) {
            int plane = inOffset + unit / outH * inH * inW * block;
            int y = unit % outH;
            int top = plane + rows.low[y] * inW * block;
            int bottom = plane + rows.high[y] * inW * block;
            float wy = rows.weight[y];
            for (int x = 0; x < outW; x++) {
                int target = outOffset + (unit * outW + x) * block;
                int left = cols.low[x] * block;
                if (!bilinear) {
                    System.arraycopy(in, top + left, out, target, block);
                    continue;
                }
                int right = cols.high[x] * block;
                float wx = cols.weight[x];
                for (int c = 0; c < block; c++) {
                    float mixed = (1 - wy) * ((1 - wx) * (in[top + left + c] & mask) + wx * (in[top + right + c] & mask))
                        + wy * ((1 - wx) * (in[bottom + left + c] & mask) + wx * (in[bottom + right + c] & mask));
                    out[target + c] = (byte) rounding.round(mixed);
                }
            }
        }
    }

    private static void mix(float[] in, int a, int b, int c, int d, float wy, float wx, float[] out, int target, int n) {
        for (int i = 0; i < n; i++) {
            out[target + i] = (1 - wy) * ((1 - wx) * in[a + i] + wx * in[b + i]) + wy * ((1 - wx) * in[c + i] + wx * in[d + i]);
        }
    }

    private void check(int inLength, int inOffset, int outLength, int outOffset, int begin, int end) {
        Check.room("input", inLength, inOffset, layout.size(channels, inH, inW));
        Check.room("output", outLength, outOffset, layout.size(channels, outH, outW));
        Check.range(begin, end, units());
    }
}
