package org.torchnnapi.kernels;

import java.util.Arrays;
import org.torchnnapi.kernels.internal.NormalizationProvider;

/**
 * Normalization of groups of an image's channels by their own mean and variance, {@code (x - mean) / sqrt(variance +
 * epsilon) * scale + shift} with a scale and a shift a channel (Wu and He, Group Normalization, 2018); with one channel
 * a group, instance normalization (Ulyanov et al., 2016). The variance is over the count, not one less.
 */
public final class GroupNorm {
    private final int channels;
    private final int groups;
    private final int pixels;
    private final int block;
    private final float epsilon;
    private final float[] factors;

    private GroupNorm(int channels, int groups, int pixels, int block, float epsilon, float[] factors) {
        this.channels = channels;
        this.groups = groups;
        this.pixels = pixels;
        this.block = block;
        this.epsilon = epsilon;
        this.factors = factors;
    }

    /** Whether {@link #plan} takes images in that layout: NCHW, or blocks that groups divide or consist of. */
    public static boolean covers(ImageLayout layout, int channels, int groups) {
        int size = channels / groups;
        int block = Kernels.channelBlock();
        return layout == ImageLayout.NCHW || layout == ImageLayout.BLOCKED && (block % size == 0 || size % block == 0);
    }

    /**
     * @param groups a divisor of the channels
     * @param epsilon above 0
     * @param scale one a channel, or null for all 1
     * @param shift one a channel, or null for all 0
     */
    public static GroupNorm plan(
            ImageLayout layout, int channels, int groups, int pixels, float epsilon, float[] scale, float[] shift) {
        Check.atLeast("channels", channels, 1);
        Check.atLeast("pixels", pixels, 1);
        Check.epsilon(epsilon);
        if (groups < 1 || channels % groups != 0) {
            throw new IllegalArgumentException(
                    "groups: " + groups + " (expected: a divisor of " + channels + ", the channels)");
        }
        if (!covers(layout, channels, groups)) {
            throw new IllegalArgumentException("layout: " + layout + " for " + channels + " channels in " + groups
                    + " groups (expected: NCHW, or blocks that groups divide or consist of)");
        }
        int block = layout.block(channels);
        return new GroupNorm(
                channels,
                groups,
                pixels,
                block,
                epsilon,
                factors(channels, (channels + block - 1) / block * block, scale, shift));
    }

    /** Scales, then shifts, both filled up with zeros. */
    static float[] factors(int count, int padded, float[] scale, float[] shift) {
        float[] factors = new float[2 * padded];
        if (scale == null) {
            Arrays.fill(factors, 0, count, 1);
        } else {
            Check.length("scale", scale.length, count);
            System.arraycopy(scale, 0, factors, 0, count);
        }
        if (shift != null) {
            Check.length("shift", shift.length, count);
            System.arraycopy(shift, 0, factors, padded, count);
        }
        return factors;
    }

    /** Shares the work on one image can be cut into. */
    public int units() {
        int size = channels / groups;
        return block == 1 ? groups : size > block ? groups : (channels + block - 1) / block;
    }

    /** Does units [begin, end) of one image. In and out may be the same. */
    public void run(float[] in, int inOffset, float[] out, int outOffset, int begin, int end) {
        Check.range(begin, end, units());
        int room = factors.length / 2 * pixels;
        Check.room("input", in.length, inOffset, room);
        Check.room("output", out.length, outOffset, room);
        if (block == 1) {
            NormalizationProvider.chosen()
                    .rows(
                            false,
                            groups,
                            channels / groups,
                            pixels,
                            epsilon,
                            factors,
                            in,
                            inOffset,
                            out,
                            outOffset,
                            begin,
                            end);
        } else {
            NormalizationProvider.chosen()
                    .blocks(
                            channels / groups,
                            block,
                            pixels,
                            epsilon,
                            factors,
                            in,
                            inOffset,
                            out,
                            outOffset,
                            begin,
                            end);
        }
    }
}
