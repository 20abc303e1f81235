package org.torchnnapi.operators.ops;

import static org.torchnnapi.operators.support.Args.flag;
import static org.torchnnapi.operators.support.Args.int32;
import static org.torchnnapi.operators.support.Args.real;
import static org.torchnnapi.operators.support.Args.tensor;

import org.torchnnapi.operators.OperatorFamily;
import org.torchnnapi.operators.support.Elements;
import org.torchnnapi.operators.support.Tensors;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Shape;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.tensor.platform.Interruption;
import org.torchnnapi.torchscript.ir.OperatorTrait;

/** torchvision's pooling of regions of feature maps: roi_align, roi_pool and their position-sensitive forms. */
public final class RegionPooling implements OperatorFamily {
    private static final long MAX_SAMPLES = 1 << 20;

    /**
     * Regions are rows of batch index, left, top, right, bottom in image coordinates.
     *
     * @param features in row-major order; null where who pools has them as float32
     */
    private record Regions(
            double[] features,
            int batch,
            int channels,
            int height,
            int width,
            double[] rows,
            int count,
            double scale,
            int pooledHeight,
            int pooledWidth) {
        static Regions of(Object[] a) {
            return of(a, Elements.doubles(tensor(a, 0)));
        }

        static Regions of(Object[] a, double[] features) {
            Tensor input = tensor(a, 0);
            Tensor rois = tensor(a, 1);
            if (input.rank() != 4 || rois.rank() != 2 || rois.size(1) != 5) {
                throw new IllegalArgumentException(
                        "input: " + input + ", rois: " + rois + " (expected: [n, c, h, w] and [k, 5])");
            }
            int pooledHeight = int32(a, 3);
            int pooledWidth = int32(a, 4);
            if (pooledHeight < 1 || pooledWidth < 1) {
                throw new IllegalArgumentException(
                        "pooled size: " + pooledHeight + " x " + pooledWidth + " (expected: >= 1)");
            }
            Shape.numel(rois.size(0), input.size(1), pooledHeight, pooledWidth);
            double[] rows = Elements.doubles(rois);
            for (int k = 0; k < rois.size(0); k++) {
                if (!(rows[5 * k] >= 0) || rows[5 * k] >= input.size(0)) {
                    throw new IllegalArgumentException("batch index of region " + k + ": " + rows[5 * k]
                            + " (expected: 0 to " + (input.size(0) - 1) + ")");
                }
            }
            return new Regions(
                    features,
                    input.size(0),
                    input.size(1),
                    input.size(2),
                    input.size(3),
                    rows,
                    rois.size(0),
                    real(a, 2),
                    pooledHeight,
                    pooledWidth);
        }

        int image(int k) {
            return (int) rows[5 * k];
        }

        double edge(int k, int which) {
            return (float) (rows[5 * k + 1 + which] * (float) scale);
        }

        double at(int image, int channel, int y, int x) {
            return features[((image * channels + channel) * height + y) * width + x];
        }
    }

    @Override
    public void register(Registrar r) {
        r.op(
                "torchvision::roi_align(Tensor input, Tensor rois, float spatial_scale, int pooled_height, "
                        + "int pooled_width, int sampling_ratio, bool aligned) -> Tensor",
                RegionPooling::align,
                OperatorTrait.POOLS_REGIONS);
        r.op(
                "torchvision::roi_pool(Tensor input, Tensor rois, float spatial_scale, int pooled_height, "
                        + "int pooled_width) -> (Tensor, Tensor)",
                a -> pool(Regions.of(a), tensor(a, 0).dtype()),
                OperatorTrait.POOLS_REGIONS);
        r.op(
                "torchvision::ps_roi_align(Tensor input, Tensor rois, float spatial_scale, int pooled_height, "
                        + "int pooled_width, int sampling_ratio) -> (Tensor, Tensor)",
                a -> sensitiveAlign(Regions.of(a), tensor(a, 0).dtype(), int32(a, 5)));
        r.op(
                "torchvision::ps_roi_pool(Tensor input, Tensor rois, float spatial_scale, int pooled_height, "
                        + "int pooled_width) -> (Tensor, Tensor)",
                a -> sensitivePool(Regions.of(a), tensor(a, 0).dtype()));
    }

    private static int samples(int ratio, double bin) {
        double count = ratio > 0 ? ratio : Math.ceil(bin);
        if (!(count <= MAX_SAMPLES)) {
            throw new IllegalArgumentException(
                    "samples in a bin: " + count + " (expected: at most " + MAX_SAMPLES + ")");
        }
        return (int) Math.max(count, 0);
    }

    /**
     * Where samples lie along one side of a region, in float32 step by step, as torchvision's kernel
     * (ops/cpu/roi_align_kernel.cpp) has it: what is quantized afterwards rounds alike. Points more than one pixel
     * outside count as zero; those at the border take the nearest pixels.
     *
     * @param first the pixel before each sample, -1 for samples that count as zero
     * @param second the one behind
     * @param far how far from the first to the second
     */
    private record Samples(int[] first, int[] second, float[] far) {
        static Samples of(float start, float bin, int bins, int each, int size) {
            Samples samples =
                    new Samples(new int[Tensors.count(bins, each)], new int[bins * each], new float[bins * each]);
            for (int b = 0; b < bins; b++) {
                Interruption.check();
                for (int i = 0; i < each; i++) {
                    samples.put(b * each + i, start + b * bin + (i + 0.5f) * bin / each, size);
                }
            }
            return samples;
        }

        private void put(int at, float place, int size) {
            boolean inside = place >= -1 && place <= size;
            first[at] = inside ? Math.min((int) Math.max(place, 0), size - 1) : -1;
            second[at] = Math.min(first[at] + 1, size - 1);
            far[at] = first[at] == size - 1 ? 0 : Math.max(place, 0) - first[at];
        }
    }

    private static Tensor alignFloats(Regions r, float[] features, int ratio, boolean aligned) {
        float[] out = new float[Tensors.count(r.count, r.channels, r.pooledHeight, r.pooledWidth)];
        float offset = aligned ? 0.5f : 0;
        int at = 0;
        for (int k = 0; k < r.count; k++) {
            float left = (float) r.edge(k, 0) - offset;
            float top = (float) r.edge(k, 1) - offset;
            float width = (float) r.edge(k, 2) - offset - left;
            float height = (float) r.edge(k, 3) - offset - top;
            if (!aligned) {
                width = Math.max(width, 1);
                height = Math.max(height, 1);
            }
            float binHeight = height / r.pooledHeight;
            float binWidth = width / r.pooledWidth;
            int rows = samples(ratio, binHeight);
            int columns = samples(ratio, binWidth);
            long count = Math.max((long) rows * columns, 1);
            Samples down = Samples.of(top, binHeight, r.pooledHeight, rows, r.height);
            Samples across = Samples.of(left, binWidth, r.pooledWidth, columns, r.width);
            for (int c = 0; c < r.channels; c++) {
                int plane = (r.image(k) * r.channels + c) * r.height * r.width;
                for (int py = 0; py < r.pooledHeight; py++) {
                    for (int px = 0; px < r.pooledWidth; px++) {
                        float sum = 0;
                        for (int i = py * rows; i < (py + 1) * rows; i++) {
                            Interruption.check();
                            for (int j = px * columns; j < (px + 1) * columns; j++) {
                                sum += bilinear(features, plane, r.width, down, i, across, j);
                            }
                        }
                        out[at++] = sum / count;
                    }
                }
            }
        }
        return Tensor.of(out, r.count, r.channels, r.pooledHeight, r.pooledWidth);
    }

    private static float bilinear(float[] features, int plane, int width, Samples down, int i, Samples across, int j) {
        if (down.first[i] < 0 || across.first[j] < 0) {
            return 0;
        }
        int upper = plane + down.first[i] * width;
        int lower = plane + down.second[i] * width;
        float below = down.far[i];
        float right = across.far[j];
        float above = 1 - below;
        float before = 1 - right;
        return above * before * features[upper + across.first[j]]
                + above * right * features[upper + across.second[j]]
                + below * before * features[lower + across.first[j]]
                + below * right * features[lower + across.second[j]];
    }

    private static Tensor align(Object... a) {
        DType type = tensor(a, 0).dtype();
        int ratio = int32(a, 5);
        boolean aligned = flag(a, 6);
        if (type == DType.FLOAT32) {
            return alignFloats(Regions.of(a, null), tensor(a, 0).toFloatArray(), ratio, aligned);
        }
        Regions r = Regions.of(a);
        double[] out = new double[Tensors.count(r.count, r.channels, r.pooledHeight, r.pooledWidth)];
        double offset = aligned ? 0.5 : 0;
        int at = 0;
        for (int k = 0; k < r.count; k++) {
            double left = r.edge(k, 0) - offset;
            double top = r.edge(k, 1) - offset;
            double width = r.edge(k, 2) - offset - left;
            double height = r.edge(k, 3) - offset - top;
            if (!aligned) {
                width = Math.max(width, 1);
                height = Math.max(height, 1);
            }
            double binHeight = height / r.pooledHeight;
            double binWidth = width / r.pooledWidth;
            int rows = samples(ratio, binHeight);
            int columns = samples(ratio, binWidth);
            for (int c = 0; c < r.channels; c++) {
                for (int py = 0; py < r.pooledHeight; py++) {
                    for (int px = 0; px < r.pooledWidth; px++) {
                        out[at++] = mean(
                                r,
                                r.image(k),
                                c,
                                top + py * binHeight,
                                left + px * binWidth,
                                binHeight,
                                binWidth,
                                rows,
                                columns);
                    }
                }
            }
        }
        return Elements.ofDoubles(type, out, r.count, r.channels, r.pooledHeight, r.pooledWidth);
    }

    private static double mean(
            Regions r,
            int image,
            int c,
            double top,
            double left,
            double binHeight,
            double binWidth,
            int rows,
            int columns) {
        double sum = 0;
        for (int i = 0; i < rows; i++) {
            double y = top + (i + 0.5) * binHeight / rows;
            Interruption.check();
            for (int j = 0; j < columns; j++) {
                sum += bilinear(r, image, c, y, left + (j + 0.5) * binWidth / columns);
            }
        }
        return sum / Math.max((long) rows * columns, 1);
    }

    /** Points more than one pixel outside count as zero; those at the border take the nearest pixels. */
    private static double bilinear(Regions r, int image, int c, double y, double x) {
        if (!(y >= -1 && y <= r.height && x >= -1 && x <= r.width)) {
            return 0;
        }
        double cy = Math.max(y, 0);
        double cx = Math.max(x, 0);
        int y0 = Math.min((int) cy, r.height - 1);
        int x0 = Math.min((int) cx, r.width - 1);
        int y1 = Math.min(y0 + 1, r.height - 1);
        int x1 = Math.min(x0 + 1, r.width - 1);
        double fy = y0 == r.height - 1 ? 0 : cy - y0;
        double fx = x0 == r.width - 1 ? 0 : cx - x0;
        return (1 - fy) * ((1 - fx) * r.at(image, c, y0, x0) + fx * r.at(image, c, y0, x1))
                + fy * ((1 - fx) * r.at(image, c, y1, x0) + fx * r.at(image, c, y1, x1));
    }

    private static Object pool(Regions r, DType type) {
        int count = Tensors.count(r.count, r.channels, r.pooledHeight, r.pooledWidth);
        double[] out = new double[count];
        long[] argmax = new long[count];
        int at = 0;
        for (int k = 0; k < r.count; k++) {
            int left = (int) Math.round(r.edge(k, 0));
            int top = (int) Math.round(r.edge(k, 1));
            int width = Math.max((int) Math.round(r.edge(k, 2)) - left + 1, 1);
            int height = Math.max((int) Math.round(r.edge(k, 3)) - top + 1, 1);
            for (int c = 0; c < r.channels; c++) {
                for (int py = 0; py < r.pooledHeight; py++) {
                    int y0 = bound(top + floor(py, height, r.pooledHeight), r.height);
                    int y1 = bound(top + ceil(py + 1, height, r.pooledHeight), r.height);
                    for (int px = 0; px < r.pooledWidth; px++) {
                        int x0 = bound(left + floor(px, width, r.pooledWidth), r.width);
                        int x1 = bound(left + ceil(px + 1, width, r.pooledWidth), r.width);
                        double best = y1 <= y0 || x1 <= x0 ? 0 : -Float.MAX_VALUE;
                        argmax[at] = -1;
                        for (int y = y0; y < y1; y++) {
                            for (int x = x0; x < x1; x++) {
                                if (r.at(r.image(k), c, y, x) > best) {
                                    best = r.at(r.image(k), c, y, x);
                                    argmax[at] = (long) y * r.width + x;
                                }
                            }
                        }
                        out[at++] = best;
                    }
                }
            }
        }
        int[] sizes = {r.count, r.channels, r.pooledHeight, r.pooledWidth};
        return new Object[] {Elements.ofDoubles(type, out, sizes), Elements.ofLongs(DType.INT32, argmax, sizes)};
    }

    private static int floor(int step, int size, int bins) {
        return (int) Math.floor(step * ((float) size / bins));
    }

    private static int ceil(int step, int size, int bins) {
        return (int) Math.ceil(step * ((float) size / bins));
    }

    private static int bound(int value, int limit) {
        return Math.min(Math.max(value, 0), limit);
    }

    /** Channels of a position-sensitive form: each output channel has one input channel for each bin. */
    private static int outputChannels(Regions r) {
        int bins = r.pooledHeight * r.pooledWidth;
        if (r.channels % bins != 0) {
            throw new IllegalArgumentException("input channels must be a multiple of pooling height * pooling width");
        }
        return r.channels / bins;
    }

    private static Object sensitiveAlign(Regions r, DType type, int ratio) {
        int channels = outputChannels(r);
        int[] sizes = {r.count, channels, r.pooledHeight, r.pooledWidth};
        double[] out = new double[Tensors.count(sizes)];
        long[] mapping = new long[out.length];
        int at = 0;
        for (int k = 0; k < r.count; k++) {
            double left = r.edge(k, 0) - 0.5;
            double top = r.edge(k, 1) - 0.5;
            double binHeight = (r.edge(k, 3) - 0.5 - top) / r.pooledHeight;
            double binWidth = (r.edge(k, 2) - 0.5 - left) / r.pooledWidth;
            int rows = samples(ratio, binHeight);
            int columns = samples(ratio, binWidth);
            for (int c = 0; c < channels; c++) {
                for (int py = 0; py < r.pooledHeight; py++) {
                    for (int px = 0; px < r.pooledWidth; px++) {
                        int from = (c * r.pooledHeight + py) * r.pooledWidth + px;
                        mapping[at] = from;
                        out[at++] = mean(
                                r,
                                r.image(k),
                                from,
                                top + py * binHeight,
                                left + px * binWidth,
                                binHeight,
                                binWidth,
                                rows,
                                columns);
                    }
                }
            }
        }
        return new Object[] {Elements.ofDoubles(type, out, sizes), Elements.ofLongs(DType.INT32, mapping, sizes)};
    }

    private static Object sensitivePool(Regions r, DType type) {
        int channels = outputChannels(r);
        int[] sizes = {r.count, channels, r.pooledHeight, r.pooledWidth};
        double[] out = new double[Tensors.count(sizes)];
        long[] mapping = new long[out.length];
        int at = 0;
        for (int k = 0; k < r.count; k++) {
            int left = (int) Math.round(r.edge(k, 0));
            int top = (int) Math.round(r.edge(k, 1));
            int width = Math.max((int) Math.round(r.edge(k, 2)) - left, 1);
            int height = Math.max((int) Math.round(r.edge(k, 3)) - top, 1);
            for (int c = 0; c < channels; c++) {
                for (int py = 0; py < r.pooledHeight; py++) {
                    int y0 = bound(top + floor(py, height, r.pooledHeight), r.height - 1);
                    int y1 = bound(top + ceil(py + 1, height, r.pooledHeight), r.height - 1);
                    for (int px = 0; px < r.pooledWidth; px++) {
                        int x0 = bound(left + floor(px, width, r.pooledWidth), r.width - 1);
                        int x1 = bound(left + ceil(px + 1, width, r.pooledWidth), r.width - 1);
                        int from = (c * r.pooledHeight + py) * r.pooledWidth + px;
                        double sum = 0;
                        for (int y = y0; y < y1; y++) {
                            for (int x = x0; x < x1; x++) {
                                sum += r.at(r.image(k), from, y, x);
                            }
                        }
                        mapping[at] = from;
                        out[at++] = y1 <= y0 || x1 <= x0 ? 0 : sum / ((double) (y1 - y0) * (x1 - x0));
                    }
                }
            }
        }
        return new Object[] {Elements.ofDoubles(type, out, sizes), Elements.ofLongs(DType.INT32, mapping, sizes)};
    }
}
