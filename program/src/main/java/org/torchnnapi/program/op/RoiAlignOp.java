package org.torchnnapi.program.op;

import java.util.Arrays;
import java.util.List;
import org.torchnnapi.kernels.WeightedRows;
import org.torchnnapi.program.ByteQuantization;
import org.torchnnapi.program.Op;
import org.torchnnapi.program.Operands;
import org.torchnnapi.program.PlacedValue;
import org.torchnnapi.program.RunMemory;
import org.torchnnapi.program.Step;
import org.torchnnapi.program.ValueType;

/**
 * Regions of images, each divided into bins; a bin is the mean of samples at regular points, interpolated between four
 * pixels (He et al., Mask R-CNN, 2017). Inputs: images {@code [batch, height, width, channels]} of floats or bytes;
 * regions {@code [regions, 4]} as x1, y1, x2, y2; the image of each region {@code [regions]}. Result: {@code [regions,
 * height, width, channels]} of bins. Bytes are computed with in double, as NNAPI's reference does, so that both round
 * alike. An execution with a region outside its image fails.
 *
 * @param height bins of a region from top to bottom
 * @param width bins of a region from left to right
 * @param rowStride what y1 and y2 are divided by; likewise {@code columnStride} x1 and x2
 * @param rowSamples of a bin from top to bottom; 0 for as many as it has pixels, rounded up; likewise
 *     {@code columnSamples}
 * @param quantization of the result; null for floats
 */
public record RoiAlignOp(
        int height,
        int width,
        float rowStride,
        float columnStride,
        int rowSamples,
        int columnSamples,
        ByteQuantization quantization)
        implements Op {
    /** Pixels whose weighted sum is taken at once. */
    private static final int PIXELS = 256;

    private static final ThreadLocal<Scratch> SCRATCH = ThreadLocal.withInitial(Scratch::new);

    /** What one thread works with. */
    private static final class Scratch {
        private final RegionGrid region = new RegionGrid();
        private final int[] pixels = new int[PIXELS];
        private final float[] weights = new float[PIXELS];
        /** Pixels, with their weights, that are not yet summed. */
        private int count;
        /** What a sample counts for. */
        private float part;
        /** Whether a part of the current bin's pixels has been summed. */
        private boolean begun;

        private double[] sums = {};

        void add(int pixel, float weight) {
            pixels[count] = pixel;
            weights[count] = weight;
            count++;
        }

        double[] sums(int channels) {
            if (sums.length < channels) {
                sums = new double[channels];
            }
            return sums;
        }
    }

    @Override
    public ValueType result(List<ValueType> inputs) {
        int regions = RegionGrid.require(inputs);
        ValueType images = inputs.get(0);
        if (images.isFloat() != (quantization == null)) {
            throw new IllegalArgumentException("images: " + images + " (expected: "
                    + (quantization == null ? "floats" : "bytes") + ", as the result)");
        }
        int[] shape = {regions, height, width, images.dimension(3)};
        return quantization == null ? ValueType.floats(shape) : ValueType.bytes(quantization, shape);
    }

    @Override
    public Step compile(Operands operands) {
        PlacedValue images = operands.in(0);
        int regions = operands.in(1).type().dimension(0);
        // A sample reads four pixels; how many samples there are, only the regions tell.
        long work = 4L
                * Math.max(1, rowSamples)
                * Math.max(1, columnSamples)
                * operands.out().type().count();
        return new Step(regions * height, memory -> {
                    Bins bins = images.isFloat() ? new FloatBins(operands, memory) : new ByteBins(operands, memory);
                    return (begin, end) -> {
                        Scratch scratch = SCRATCH.get();
                        for (int unit = begin; unit < end; unit++) {
                            bins.row(unit / height, unit % height, scratch);
                        }
                    };
                })
                .joined(work);
    }

    @Override
    public String label() {
        return "roi align to " + height + "x" + width;
    }

    /** The bins of regions, over the memory of a run. */
    private abstract class Bins extends RegionGrid.Source {
        Bins(Operands operands, RunMemory memory) {
            super(operands, memory, rowStride, columnStride);
        }

        /** One row of bins of a region. */
        void row(int number, int y, Scratch scratch) {
            RegionGrid region = scratch.region;
            region.read(this, number);
            float rowStep = Math.max(region.y2() - region.y1(), 1) / height;
            float columnStep = Math.max(region.x2() - region.x1(), 1) / width;
            int down = rowSamples > 0 ? rowSamples : (int) Math.ceil(rowStep);
            int across = columnSamples > 0 ? columnSamples : (int) Math.ceil(columnStep);
            float top = region.y1() + rowStep * y;
            for (int x = 0; x < width; x++) {
                float left = region.x1() + columnStep * x;
                bin(
                        region.image(),
                        toAt + ((number * height + y) * width + x) * channels,
                        top,
                        left,
                        rowStep / down,
                        columnStep / across,
                        down,
                        across,
                        scratch);
            }
        }

        /** One bin, whose samples are {@code rowStep} and {@code columnStep} apart. */
        private void bin(
                int image,
                int bin,
                float top,
                float left,
                float rowStep,
                float columnStep,
                int down,
                int across,
                Scratch scratch) {
            begin(scratch, down, across);
            for (int r = 0; r < down; r++) {
                float y = top + rowStep / 2 + rowStep * r;
                int upper = first(y, rows);
                int lower = second(upper, rows);
                float below = distance(y, upper, rows);
                for (int s = 0; s < across; s++) {
                    float x = left + columnStep / 2 + columnStep * s;
                    int before = first(x, columns);
                    int after = second(before, columns);
                    add(
                            scratch,
                            bin,
                            pixel(image, upper, before),
                            pixel(image, upper, after),
                            pixel(image, lower, before),
                            pixel(image, lower, after),
                            distance(x, before, columns),
                            below);
                }
            }
            end(scratch, bin, down, across);
        }

        abstract void begin(Scratch scratch, int down, int across);

        /** A sample between four pixels, {@code right} of the left ones and {@code below} the upper ones. */
        abstract void add(
                Scratch scratch,
                int bin,
                int upperLeft,
                int upperRight,
                int lowerLeft,
                int lowerRight,
                float right,
                float below);

        /** Writes the bin's mean. */
        abstract void end(Scratch scratch, int bin, int down, int across);

        /** Where the first channel of a pixel is. */
        private int pixel(int image, int row, int column) {
            return fromAt + ((image * rows + row) * columns + column) * channels;
        }

        /** The first of the two pixels that a position lies between, of so many; the last where it is past that. */
        static int first(float position, int size) {
            return Math.min((int) Math.floor(position), size - 1);
        }

        static int second(int first, int size) {
            return Math.min(first + 1, size - 1);
        }

        /** How far a position is from the first of its pixels. */
        static float distance(float position, int first, int size) {
            return first >= size - 1 ? 0 : position - first;
        }
    }

    private final class FloatBins extends Bins {
        private final float[] from;
        private final float[] to;

        FloatBins(Operands operands, RunMemory memory) {
            super(operands, memory);
            from = operands.in(0).floats(memory);
            to = operands.out().floats(memory);
        }

        @Override
        void begin(Scratch scratch, int down, int across) {
            scratch.part = 1f / ((float) down * across);
            scratch.count = 0;
            scratch.begun = false;
        }

        @Override
        void add(
                Scratch scratch,
                int bin,
                int upperLeft,
                int upperRight,
                int lowerLeft,
                int lowerRight,
                float right,
                float below) {
            if (scratch.count == PIXELS) {
                sum(scratch, bin);
                scratch.begun = true;
                scratch.count = 0;
            }
            scratch.add(upperLeft, scratch.part * (1 - below) * (1 - right));
            scratch.add(upperRight, scratch.part * (1 - below) * right);
            scratch.add(lowerLeft, scratch.part * below * (1 - right));
            scratch.add(lowerRight, scratch.part * below * right);
        }

        @Override
        void end(Scratch scratch, int bin, int down, int across) {
            sum(scratch, bin);
        }

        private void sum(Scratch scratch, int bin) {
            WeightedRows.sum(from, scratch.pixels, scratch.weights, scratch.count, to, bin, channels, scratch.begun);
        }
    }

    private final class ByteBins extends Bins {
        private final byte[] from;
        private final float[] real;
        private final byte[] to;

        ByteBins(Operands operands, RunMemory memory) {
            super(operands, memory);
            from = operands.in(0).bytes(memory);
            to = operands.out().bytes(memory);
            real = ByteValues.of(operands.in(0).type());
        }

        @Override
        void begin(Scratch scratch, int down, int across) {
            Arrays.fill(scratch.sums(channels), 0, channels, 0);
        }

        @Override
        void add(
                Scratch scratch,
                int bin,
                int upperLeft,
                int upperRight,
                int lowerLeft,
                int lowerRight,
                float right,
                float below) {
            double[] sums = scratch.sums;
            double toLeft = 1 - right;
            double toRight = right;
            double above = 1 - below;
            double under = below;
            for (int c = 0; c < channels; c++) {
                double upper = real[from[upperLeft + c] & 0xff] * toLeft + real[from[upperRight + c] & 0xff] * toRight;
                double lower = real[from[lowerLeft + c] & 0xff] * toLeft + real[from[lowerRight + c] & 0xff] * toRight;
                sums[c] += upper * above + lower * under;
            }
        }

        @Override
        void end(Scratch scratch, int bin, int down, int across) {
            double count = (double) down * across;
            for (int c = 0; c < channels; c++) {
                long rounded = (long) Math.rint((double) (float) (scratch.sums[c] / count) / quantization.scale())
                        + quantization.zeroPoint();
                to[bin + c] = (byte) Math.max(
                        quantization.element().min(),
                        Math.min(quantization.element().max(), rounded));
            }
        }
    }
}
