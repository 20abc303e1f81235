package org.torchnnapi.kernels;

import org.torchnnapi.kernels.internal.ResizeKernel;
import org.torchnnapi.kernels.internal.ResizeSpec;

/** Nearest and bilinear resizing of one image; input and output share one layout. */
public final class Resize {
    /** Which input coordinate an output coordinate means; {@code scale = in / out}. */
    public enum Coordinates {
        /** {@code out * scale}. */
        ASYMMETRIC,
        /** {@code (out + 0.5) * scale - 0.5}. */
        HALF_PIXEL,
        /** {@code out * (in - 1) / (out - 1)}: the corners' centres meet. */
        ALIGN_CORNERS,
        /**
         * {@link #HALF_PIXEL} with the scale a float and the rest in double, and nothing done where extents are the
         * same: PyTorch's.
         */
        HALF_PIXEL_DOUBLE,
        /** {@link #ALIGN_CORNERS} in the same way. */
        ALIGN_CORNERS_DOUBLE;

        /** Whether the first and the last elements of input and output lie on each other. */
        public boolean alignsCorners() {
            return this == ALIGN_CORNERS || this == ALIGN_CORNERS_DOUBLE;
        }

        /** Whether positions are doubles, otherwise floats. */
        public boolean isDouble() {
            return this == HALF_PIXEL_DOUBLE || this == ALIGN_CORNERS_DOUBLE;
        }

        private double position(int out, float scale, boolean bilinear) {
            return switch (this) {
                case HALF_PIXEL -> (out + 0.5f) * scale - (bilinear ? 0.5f : 0);
                case HALF_PIXEL_DOUBLE -> (out + 0.5) * scale - (bilinear ? 0.5 : 0);
                case ALIGN_CORNERS_DOUBLE -> (double) out * scale;
                case ASYMMETRIC, ALIGN_CORNERS -> out * scale;
            };
        }
    }

    private final int inSize;
    private final int outSize;
    private final int units;
    private final ResizeKernel kernel;

    private Resize(ImageLayout layout, int channels, ResizeSpec spec) {
        inSize = layout.size(channels, spec.inH(), spec.inW());
        outSize = layout.size(channels, spec.outH(), spec.outW());
        units = Math.multiplyExact((channels + spec.block() - 1) / spec.block(), spec.outH());
        kernel = Kernels.images().resize(spec);
    }

    /**
     * Between neighbours along the width, then between the two rows, as PyTorch does with images whose rows lie
     * together.
     *
     * @param scaleH input over output extent, as float; pass {@code (float) inH / outH} unless a scale was given
     */
    public static Resize bilinear(
            ImageLayout layout,
            int channels,
            int inH,
            int inW,
            int outH,
            int outW,
            Coordinates coordinates,
            float scaleH,
            float scaleW) {
        return plan(true, false, layout, channels, inH, inW, outH, outW, coordinates, scaleH, scaleW);
    }

    /**
     * {@link #bilinear} between all four neighbours at once, as PyTorch does with images in channels-last format: other
     * last bits of floats.
     */
    public static Resize bilinearByCorners(
            ImageLayout layout,
            int channels,
            int inH,
            int inW,
            int outH,
            int outW,
            Coordinates coordinates,
            float scaleH,
            float scaleW) {
        return plan(true, true, layout, channels, inH, inW, outH, outW, coordinates, scaleH, scaleW);
    }

    /**
     * Nearest neighbour: {@link Coordinates#ASYMMETRIC} and {@link Coordinates#HALF_PIXEL} (which here is {@code (out +
     * 0.5) * scale}) round down, {@link Coordinates#ALIGN_CORNERS} to nearest.
     */
    public static Resize nearest(
            ImageLayout layout,
            int channels,
            int inH,
            int inW,
            int outH,
            int outW,
            Coordinates coordinates,
            float scaleH,
            float scaleW) {
        return plan(false, false, layout, channels, inH, inW, outH, outW, coordinates, scaleH, scaleW);
    }

    private static Resize plan(
            boolean bilinear,
            boolean byCorners,
            ImageLayout layout,
            int channels,
            int inH,
            int inW,
            int outH,
            int outW,
            Coordinates coordinates,
            float scaleH,
            float scaleW) {
        Check.atLeast("channels", channels, 1);
        Check.atLeast("input extent", Math.min(inH, inW), 1);
        Check.atLeast("output extent", Math.min(outH, outW), 1);
        return new Resize(
                layout,
                channels,
                new ResizeSpec(
                        bilinear,
                        byCorners,
                        layout.block(channels),
                        channels,
                        inH,
                        inW,
                        axis(bilinear, inH, outH, coordinates, scaleH),
                        axis(bilinear, inW, outW, coordinates, scaleW)));
    }

    private static ResizeSpec.Axis axis(boolean bilinear, int in, int out, Coordinates coordinates, float given) {
        if (!(given > 0) || Float.isInfinite(given)) {
            throw new IllegalArgumentException("scale: " + given + " (expected: finite and > 0)");
        }
        float scale = !coordinates.alignsCorners() ? given : out > 1 ? (float) (in - 1) / (out - 1) : 0;
        boolean kept = in == out && coordinates.isDouble();
        int[] low = new int[out];
        int[] high = new int[out];
        float[] weight = new float[out];
        for (int i = 0; i < out; i++) {
            double at = kept ? i : coordinates.position(i, scale, bilinear);
            if (!bilinear) {
                long nearest =
                        coordinates.alignsCorners() ? (long) Math.floor((float) at + 0.5f) : (long) Math.floor(at);
                low[i] = (int) Math.min(nearest, in - 1);
                continue;
            }
            double inside = Math.max(at, 0);
            low[i] = (int) Math.min((long) inside, in - 1);
            high[i] = Math.min(low[i] + 1, in - 1);
            weight[i] = (float) Math.min(inside - low[i], 1);
        }
        return new ResizeSpec.Axis(low, high, weight);
    }

    /** Shares the work can be cut into: rows of the output. */
    public int units() {
        return units;
    }

    /** Does units [begin, end) of one image. */
    public void run(float[] in, int inOffset, float[] out, int outOffset, int begin, int end) {
        check(in.length, inOffset, out.length, outOffset, begin, end);
        kernel.run(in, inOffset, out, outOffset, begin, end);
    }

    /**
     * Does units [begin, end) of one quantized image whose output has the input's scale and zero point; bilinear
     * results, which are means of the integers, are rounded.
     */
    public void run(
            byte[] in, int inOffset, byte[] out, int outOffset, boolean signed, Rounding rounding, int begin, int end) {
        check(in.length, inOffset, out.length, outOffset, begin, end);
        kernel.run(in, inOffset, out, outOffset, signed, rounding, begin, end);
    }

    private void check(int inLength, int inOffset, int outLength, int outOffset, int begin, int end) {
        Check.room("input", inLength, inOffset, inSize);
        Check.room("output", outLength, outOffset, outSize);
        Check.range(begin, end, units);
    }
}
