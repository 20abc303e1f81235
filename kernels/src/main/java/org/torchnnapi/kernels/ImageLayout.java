package org.torchnnapi.kernels;

/**
 * Where the elements of an image lie. All three are one scheme, {@code [ceil(C / b)][H][W][b]}, with channel block
 * {@code b}: 1 for NCHW, all channels for NHWC, {@link Kernels#channelBlock()} for the blocked layout (nChw{b}c). The
 * lanes past the last channel of a blocked image hold any finite values.
 */
public enum ImageLayout {
    NCHW,
    NHWC,
    BLOCKED;

    /** Virtual machines give arrays of a few elements less than 2^31. */
    private static final int LONGEST_ARRAY = Integer.MAX_VALUE - 16;

    /** The channel block of an image of that many channels. */
    public int block(int channels) {
        return switch (this) {
            case NCHW -> 1;
            case NHWC -> Math.max(channels, 1);
            case BLOCKED -> Kernels.channelBlock();
        };
    }

    /**
     * Elements of one image.
     *
     * @throws IllegalArgumentException if they do not fit an array
     */
    public int size(int channels, int height, int width) {
        long block = block(channels);
        long size = (channels + block - 1) / block * block * height * width;
        if (channels < 0 || height < 0 || width < 0 || size > LONGEST_ARRAY) {
            throw new IllegalArgumentException("image: " + channels + "x" + height + "x" + width
                    + " (expected: dimensions >= 0 and under 2^31 elements)");
        }
        return (int) size;
    }
}
