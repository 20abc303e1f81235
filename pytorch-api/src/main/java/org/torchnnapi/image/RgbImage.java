package org.torchnnapi.image;

import java.util.Arrays;

/**
 * A picture of 8 bits for each of red, green and blue. Not changed by anything here; safe for use by several threads as
 * long as nobody writes to the array.
 */
public final class RgbImage {
    static final int COLOURS = 3;
    /** Arrays have 31 bits for their length. */
    private static final int MOST_PIXELS = Integer.MAX_VALUE / COLOURS;

    private final int width;
    private final int height;
    private final byte[] pixels;

    /**
     * @param width in pixels, at least 1
     * @param height in pixels, at least 1
     * @param pixels red, green and blue of each pixel, row after row; not copied
     * @throws IllegalArgumentException if the array is not of 3 x width x height bytes
     */
    public RgbImage(int width, int height, byte[] pixels) {
        requireSize(width, height);
        if (pixels.length != COLOURS * width * height) {
            throw new IllegalArgumentException(
                    "pixels: " + pixels.length + " bytes (expected: " + COLOURS + " x " + width + " x " + height + ")");
        }
        this.width = width;
        this.height = height;
        this.pixels = pixels;
    }

    /**
     * Of what {@code BufferedImage.getRGB} and Android's {@code Bitmap.getPixels} give. Alpha is dropped, as Pillow's
     * {@code convert("RGB")} does; neither laid on a background nor divided by.
     *
     * @param argb one int a pixel, row after row: alpha, red, green and blue from bit 24, 16, 8 and 0
     * @throws IllegalArgumentException if the array is not of width x height ints
     */
    public static RgbImage ofArgb(int width, int height, int[] argb) {
        requireSize(width, height);
        if (argb.length != width * height) {
            throw new IllegalArgumentException(
                    "pixels: " + argb.length + " (expected: " + width + " x " + height + ")");
        }
        byte[] pixels = new byte[COLOURS * argb.length];
        for (int i = 0; i < argb.length; i++) {
            pixels[COLOURS * i] = (byte) (argb[i] >> 16);
            pixels[COLOURS * i + 1] = (byte) (argb[i] >> 8);
            pixels[COLOURS * i + 2] = (byte) argb[i];
        }
        return new RgbImage(width, height, pixels);
    }

    private static void requireSize(int width, int height) {
        if (width < 1 || height < 1 || (long) width * height > MOST_PIXELS) {
            throw new IllegalArgumentException("image: " + width + " x " + height
                    + " pixels (expected: >= 1 each way, and at most " + MOST_PIXELS + ")");
        }
    }

    /** In pixels. */
    public int width() {
        return width;
    }

    /** In pixels. */
    public int height() {
        return height;
    }

    /** Red, green and blue of each pixel, row after row: the array itself. */
    public byte[] pixels() {
        return pixels;
    }

    /**
     * A part, or with places outside a larger picture that is black there.
     *
     * @param left of the part's first column, also below 0
     * @param top of its first row, also below 0
     */
    RgbImage part(int left, int top, int partWidth, int partHeight) {
        return part(left, top, partWidth, partHeight, 0);
    }

    /** @param fill of each colour where the picture has no pixel */
    RgbImage part(int left, int top, int partWidth, int partHeight, int fill) {
        requireSize(partWidth, partHeight);
        byte[] out = new byte[COLOURS * partWidth * partHeight];
        if (fill != 0) {
            Arrays.fill(out, (byte) fill);
        }
        int from = Math.max(0, -left);
        int to = Math.min(partWidth, width - left);
        for (int y = Math.max(0, -top); y < Math.min(partHeight, height - top) && from < to; y++) {
            System.arraycopy(
                    pixels,
                    COLOURS * ((y + top) * width + left + from),
                    out,
                    COLOURS * (y * partWidth + from),
                    COLOURS * (to - from));
        }
        return new RgbImage(partWidth, partHeight, out);
    }

    /**
     * Turned upright.
     *
     * @param orientation the number that a camera writes (EXIF, tag 0x0112): 1 for upright, 2 to 8 for the others; any
     *     other number is taken for 1, as Pillow does
     */
    public RgbImage upright(int orientation) {
        if (orientation < 2 || orientation > 8) {
            return this;
        }
        boolean turned = orientation >= 5;
        int outWidth = turned ? height : width;
        int outHeight = turned ? width : height;
        byte[] out = new byte[pixels.length];
        for (int y = 0; y < outHeight; y++) {
            for (int x = 0; x < outWidth; x++) {
                int along = turned ? y : x;
                int across = turned ? x : y;
                boolean mirrored = orientation == 2 || orientation == 3 || orientation == 7 || orientation == 8;
                boolean flipped = orientation == 3 || orientation == 4 || orientation == 6 || orientation == 7;
                int column = mirrored ? width - 1 - along : along;
                int row = flipped ? height - 1 - across : across;
                System.arraycopy(pixels, COLOURS * (row * width + column), out, COLOURS * (y * outWidth + x), COLOURS);
            }
        }
        return new RgbImage(outWidth, outHeight, out);
    }

    @Override
    public String toString() {
        return "RgbImage[" + width + " x " + height + "]";
    }
}
