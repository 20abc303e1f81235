package org.torchnnapi.operators.ops;

import static org.torchnnapi.operators.support.Args.flag;
import static org.torchnnapi.operators.support.Args.integer;
import static org.torchnnapi.operators.support.Args.tensor;

import org.torchnnapi.operators.OperatorFamily;
import org.torchnnapi.operators.support.Elements;
import org.torchnnapi.operators.support.Resampling;
import org.torchnnapi.tensor.Tensor;

/** Sampling images at given points. */
public final class GridSampler implements OperatorFamily {
    private static final int NEAREST = 1;
    private static final int BICUBIC = 2;
    private static final int BORDER = 1;
    private static final int REFLECTION = 2;

    @Override
    public void register(Registrar r) {
        for (String name : new String[] {"grid_sampler", "grid_sampler_2d", "grid_sampler_3d"}) {
            r.op(
                    "aten::" + name
                            + "(Tensor input, Tensor grid, int interpolation_mode, int padding_mode, bool "
                            + "align_corners) -> Tensor",
                    a -> sample(tensor(a, 0), tensor(a, 1), (int) integer(a, 2), (int) integer(a, 3), flag(a, 4)));
        }
    }

    private static Tensor sample(Tensor image, Tensor grid, int mode, int padding, boolean align) {
        if (image.rank() == 5) {
            return sampleVolume(image, grid, mode, padding, align);
        }
        if (image.rank() != 4
                || grid.rank() != 4
                || grid.sizes()[3] != 2
                || grid.sizes()[0] != image.sizes()[0]
                || image.numel() == 0) {
            throw new IllegalArgumentException("grid_sampler: input " + image + ", grid " + grid
                    + " (expected: [n, c, h, w] and [n, h, w, 2], not empty)");
        }
        int channels = image.sizes()[1];
        int h = image.sizes()[2];
        int w = image.sizes()[3];
        int points = grid.sizes()[1] * grid.sizes()[2];
        double[] in = Elements.doubles(image);
        double[] xy = Elements.doubles(grid);
        double[] out = new double[image.sizes()[0] * channels * points];
        for (int n = 0; n < image.sizes()[0]; n++) {
            for (int p = 0; p < points; p++) {
                double x = pixel(xy[2 * (n * points + p)], w, align);
                double y = pixel(xy[2 * (n * points + p) + 1], h, align);
                if (mode != BICUBIC) {
                    x = bounded(x, w, padding, align);
                    y = bounded(y, h, padding, align);
                }
                int taps = mode == BICUBIC ? 4 : mode == NEAREST ? 1 : 2;
                int left = (int) (mode == NEAREST ? Math.rint(x) : Math.floor(x)) - (taps == 4 ? 1 : 0);
                int top = (int) (mode == NEAREST ? Math.rint(y) : Math.floor(y)) - (taps == 4 ? 1 : 0);
                for (int c = 0; c < channels; c++) {
                    int plane = (n * channels + c) * h * w;
                    double sum = 0;
                    for (int i = 0; i < taps; i++) {
                        double across = 0;
                        for (int j = 0; j < taps; j++) {
                            across += weight(taps, x, left + j)
                                    * at(in, plane, h, w, top + i, left + j, padding, align, taps == 4);
                        }
                        sum += weight(taps, y, top + i) * across;
                    }
                    out[(n * channels + c) * points + p] = sum;
                }
            }
        }
        return Elements.ofDoubles(image.dtype(), out, image.sizes()[0], channels, grid.sizes()[1], grid.sizes()[2]);
    }

    private static Tensor sampleVolume(Tensor volume, Tensor grid, int mode, int padding, boolean align) {
        if (grid.rank() != 5
                || grid.sizes()[4] != 3
                || grid.sizes()[0] != volume.sizes()[0]
                || volume.numel() == 0
                || mode == BICUBIC) {
            throw new IllegalArgumentException("grid_sampler: input " + volume + ", grid " + grid
                    + " (expected: [n, c, d, h, w] and [n, d, h, w, 3], not empty, bilinear or nearest)");
        }
        int channels = volume.sizes()[1];
        int[] extent = {volume.sizes()[4], volume.sizes()[3], volume.sizes()[2]};
        int points = grid.sizes()[1] * grid.sizes()[2] * grid.sizes()[3];
        int taps = mode == NEAREST ? 1 : 2;
        double[] in = Elements.doubles(volume);
        double[] xyz = Elements.doubles(grid);
        double[] out = new double[volume.sizes()[0] * channels * points];
        double[] place = new double[3];
        int[] first = new int[3];
        for (int p = 0; p < volume.sizes()[0] * points; p++) {
            for (int d = 0; d < 3; d++) {
                place[d] = bounded(pixel(xyz[3 * p + d], extent[d], align), extent[d], padding, align);
                first[d] = (int) (mode == NEAREST ? Math.rint(place[d]) : Math.floor(place[d]));
            }
            for (int c = 0; c < channels; c++) {
                int from = (p / points * channels + c) * extent[2];
                double sum = 0;
                for (int i = 0; i < taps; i++) {
                    int slice = first[2] + i;
                    if (slice < 0 || slice >= extent[2]) {
                        continue;
                    }
                    int plane = (from + slice) * extent[1] * extent[0];
                    for (int j = 0; j < taps * taps; j++) {
                        int row = first[1] + j / taps;
                        int column = first[0] + j % taps;
                        sum += weight(taps, place[2], slice)
                                * weight(taps, place[1], row)
                                * weight(taps, place[0], column)
                                * at(in, plane, extent[1], extent[0], row, column, padding, align, false);
                    }
                }
                out[(p / points * channels + c) * points + p % points] = sum;
            }
        }
        return Elements.ofDoubles(
                volume.dtype(), out, volume.sizes()[0], channels, grid.sizes()[1], grid.sizes()[2], grid.sizes()[3]);
    }

    private static double weight(int taps, double at, int tap) {
        double distance = Math.abs(at - tap);
        return taps == 1 ? 1 : taps == 2 ? Math.max(0, 1 - distance) : Resampling.cubicWeight(distance, -0.75);
    }

    /** The pixel, with padding applied to its position when the whole kernel may lie outside. */
    private static double at(
            double[] in, int plane, int h, int w, int row, int column, int padding, boolean align, boolean pad) {
        int y = pad ? (int) bounded(row, h, padding, align) : row;
        int x = pad ? (int) bounded(column, w, padding, align) : column;
        return y < 0 || y >= h || x < 0 || x >= w ? 0 : in[plane + y * w + x];
    }

    /** From [-1, 1] to pixels; the ends are pixel centres if {@code align}, otherwise outer edges. */
    private static double pixel(double at, int size, boolean align) {
        return align ? (at + 1) / 2 * (size - 1) : ((at + 1) * size - 1) / 2;
    }

    private static double bounded(double at, int size, int padding, boolean align) {
        double x = at;
        if (padding == REFLECTION) {
            double low = align ? 0 : -0.5;
            double span = align ? size - 1 : size;
            double distance = span == 0 ? 0 : Math.abs(x - low) % (2 * span);
            x = low + (distance > span ? 2 * span - distance : distance);
        }
        // What is not a number, or too far for an int, is outside.
        if (padding == BORDER || padding == REFLECTION) {
            return Math.min(size - 1, Math.max(0, x != x ? 0 : x));
        }
        return x != x ? -100 : Math.max(-1e8, Math.min(1e8, x));
    }
}
