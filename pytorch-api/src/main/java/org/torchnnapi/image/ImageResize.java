package org.torchnnapi.image;

import java.util.Arrays;

/**
 * A picture in another size, to the bit as Pillow resizes 8-bit pictures: rows first, then columns, each by weights of
 * 22 bits behind the point, and rounded to 8 bits in between.
 */
final class ImageResize {
    private static final int FRACTION_BITS = 22;
    private static final int HALF = 1 << (FRACTION_BITS - 1);
    private static final int COLOURS = RgbImage.COLOURS;

    /** For each place of a row or column: the first pixel that counts, how many do, and their weights. */
    private static final class Windows {
        final int[] first;
        final int[] count;
        final int[][] weights;

        Windows(int from, int to, Interpolation how) {
            first = new int[to];
            count = new int[to];
            weights = new int[to][];
            double scale = (double) from / to;
            double widening = Math.max(1, scale);
            double support = how.support() * widening;
            for (int i = 0; i < to; i++) {
                double center = (i + 0.5) * scale;
                first[i] = Math.max(0, (int) (center - support + 0.5));
                count[i] = Math.min(from, (int) (center + support + 0.5)) - first[i];
                double[] exact = new double[count[i]];
                double sum = 0;
                for (int j = 0; j < exact.length; j++) {
                    exact[j] = how.weight((j + first[i] - center + 0.5) * (1 / widening));
                    sum += exact[j];
                }
                weights[i] = new int[exact.length];
                for (int j = 0; j < exact.length; j++) {
                    double weight = sum == 0 ? exact[j] : exact[j] / sum;
                    weights[i][j] = (int) (weight * (1 << FRACTION_BITS) + (weight < 0 ? -0.5 : 0.5));
                }
            }
        }
    }

    private ImageResize() {}

    static RgbImage resize(RgbImage image, int width, int height, Interpolation how) {
        if (width == image.width() && height == image.height()) {
            return image;
        }
        // Refuses sizes before anything of them is made.
        if (width < 1 || height < 1 || (long) width * height > Integer.MAX_VALUE / COLOURS) {
            throw new IllegalArgumentException(
                    "size: " + width + " x " + height + " (expected: >= 1 each way, and pixels that an array holds)");
        }
        if (how == Interpolation.NEAREST) {
            return nearest(image, width, height);
        }
        RgbImage wide = width == image.width() ? image : rows(image, width, how);
        return height == wide.height() ? wide : columns(wide, height, how);
    }

    private static RgbImage rows(RgbImage image, int width, Interpolation how) {
        Windows windows = new Windows(image.width(), width, how);
        byte[] in = image.pixels();
        byte[] out = new byte[COLOURS * width * image.height()];
        int to = 0;
        for (int y = 0; y < image.height(); y++) {
            int row = COLOURS * y * image.width();
            for (int x = 0; x < width; x++) {
                int from = row + COLOURS * windows.first[x];
                int red = HALF;
                int green = HALF;
                int blue = HALF;
                for (int weight : windows.weights[x]) {
                    red += (in[from] & 0xFF) * weight;
                    green += (in[from + 1] & 0xFF) * weight;
                    blue += (in[from + 2] & 0xFF) * weight;
                    from += COLOURS;
                }
                out[to] = clipped(red);
                out[to + 1] = clipped(green);
                out[to + 2] = clipped(blue);
                to += COLOURS;
            }
        }
        return new RgbImage(width, image.height(), out);
    }

    private static RgbImage columns(RgbImage image, int height, Interpolation how) {
        Windows windows = new Windows(image.height(), height, how);
        int row = COLOURS * image.width();
        byte[] in = image.pixels();
        byte[] out = new byte[row * height];
        int[] sums = new int[row];
        for (int y = 0; y < height; y++) {
            Arrays.fill(sums, HALF);
            for (int i = 0; i < windows.count[y]; i++) {
                int from = row * (windows.first[y] + i);
                int weight = windows.weights[y][i];
                for (int x = 0; x < row; x++) {
                    sums[x] += (in[from + x] & 0xFF) * weight;
                }
            }
            for (int x = 0; x < row; x++) {
                out[row * y + x] = clipped(sums[x]);
            }
        }
        return new RgbImage(image.width(), height, out);
    }

    private static byte clipped(int sum) {
        return (byte) Math.max(0, Math.min(255, sum >> FRACTION_BITS));
    }

    private static RgbImage nearest(RgbImage image, int width, int height) {
        int[] columns = places(image.width(), width);
        int[] rows = places(image.height(), height);
        byte[] out = new byte[COLOURS * width * height];
        for (int y = 0; y < height; y++) {
            for (int x = 0; x < width; x++) {
                System.arraycopy(
                        image.pixels(),
                        COLOURS * (rows[y] * image.width() + columns[x]),
                        out,
                        COLOURS * (y * width + x),
                        COLOURS);
            }
        }
        return new RgbImage(width, height, out);
    }

    /** The steps are added up, as Pillow does, whose sums round as these. */
    private static int[] places(int from, int to) {
        double step = (double) from / to;
        double at = step * 0.5;
        int[] places = new int[to];
        for (int i = 0; i < to; i++) {
            places[i] = Math.min(from - 1, (int) at);
            at += step;
        }
        return places;
    }
}
