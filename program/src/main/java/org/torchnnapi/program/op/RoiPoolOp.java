package org.torchnnapi.program.op;

import java.util.Arrays;
import java.util.List;
import org.torchnnapi.kernels.ReductionKernel;
import org.torchnnapi.program.Op;
import org.torchnnapi.program.Operands;
import org.torchnnapi.program.RunMemory;
import org.torchnnapi.program.Step;
import org.torchnnapi.program.ValueType;

/**
 * Regions of images, rounded to pixels, each divided into bins; a bin is the largest of its pixels, 0 if it has none
 * (Girshick, Fast R-CNN, 2015). Inputs and result as {@link RoiAlignOp} has them; bytes keep their scale and zero
 * point. An execution with a region outside its image fails.
 *
 * @param height bins of a region from top to bottom
 * @param width bins of a region from left to right
 * @param rowStride what y1 and y2 are divided by; likewise {@code columnStride} x1 and x2
 */
public record RoiPoolOp(int height, int width, float rowStride, float columnStride) implements Op {
    private static final ThreadLocal<Scratch> SCRATCH = ThreadLocal.withInitial(Scratch::new);

    /**
     * What one thread works with: a line has the largest elements of the pixels that a row of bins has above each
     * other.
     */
    private static final class Scratch {
        private final RegionGrid region = new RegionGrid();
        private float[] floats = {};
        private byte[] bytes = {};

        float[] floats(int count) {
            if (floats.length < count) {
                floats = new float[count];
            }
            return floats;
        }

        byte[] bytes(int count) {
            if (bytes.length < count) {
                bytes = new byte[count];
            }
            return bytes;
        }
    }

    @Override
    public ValueType result(List<ValueType> inputs) {
        int regions = RegionGrid.require(inputs);
        return inputs.get(0).withShape(regions, height, width, inputs.get(0).dimension(3));
    }

    @Override
    public Step compile(Operands operands) {
        return new Step(operands.in(1).type().dimension(0) * height, memory -> {
                    Bins bins =
                            operands.in(0).isFloat() ? new FloatBins(operands, memory) : new ByteBins(operands, memory);
                    return (begin, end) -> {
                        for (int unit = begin; unit < end; unit++) {
                            bins.row(unit / height, unit % height, SCRATCH.get());
                        }
                    };
                })
                .joined(operands.in(0).type().count());
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
            int top = edge(y, height, region.y1(), region.y2(), rows, false);
            int bottom = edge(y, height, region.y1(), region.y2(), rows, true);
            int first = edge(0, width, region.x1(), region.x2(), columns, false);
            int last = edge(width - 1, width, region.x1(), region.x2(), columns, true);
            int line = (region.image() * rows + top) * columns + first;
            if (top < bottom && first < last) {
                column(fromAt + line * channels, columns * channels, bottom - top, (last - first) * channels, scratch);
            }
            for (int x = 0; x < width; x++) {
                int left = edge(x, width, region.x1(), region.x2(), columns, false);
                int right = edge(x, width, region.x1(), region.x2(), columns, true);
                bin(
                        (left - first) * channels,
                        top < bottom ? right - left : 0,
                        toAt + ((number * height + y) * width + x) * channels,
                        scratch);
            }
        }

        /** The largest of each of {@code count} elements over rows {@code step} apart, to the scratch's line. */
        abstract void column(int from, int step, int itsRows, int count, Scratch scratch);

        /** A bin of so many adjacent pixels of the scratch's line; 0 if it has none. */
        abstract void bin(int from, int pixels, int bin, Scratch scratch);
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
        void column(int at, int step, int itsRows, int count, Scratch scratch) {
            ReductionKernel.MAX.runRows(from, at, step, scratch.floats(count), 0, itsRows, count);
        }

        @Override
        void bin(int at, int pixels, int bin, Scratch scratch) {
            if (pixels > 0) {
                ReductionKernel.MAX.runRows(scratch.floats, at, channels, to, bin, pixels, channels);
            } else {
                Arrays.fill(to, bin, bin + channels, 0);
            }
        }
    }

    private final class ByteBins extends Bins {
        private final byte[] from;
        private final byte[] to;
        private final byte zero;
        /** The bits that make bytes compare as signed ones. */
        private final int flip;

        ByteBins(Operands operands, RunMemory memory) {
            super(operands, memory);
            from = operands.in(0).bytes(memory);
            to = operands.out().bytes(memory);
            zero = (byte) operands.in(0).type().zeroPoint();
            flip = operands.in(0).type().element().isSigned() ? 0 : 0x80;
        }

        @Override
        void column(int at, int step, int itsRows, int count, Scratch scratch) {
            largest(from, at, step, scratch.bytes(count), 0, itsRows, count);
        }

        @Override
        void bin(int at, int pixels, int bin, Scratch scratch) {
            if (pixels > 0) {
                largest(scratch.bytes, at, channels, to, bin, pixels, channels);
            } else {
                Arrays.fill(to, bin, bin + channels, zero);
            }
        }

        private void largest(byte[] in, int at, int step, byte[] out, int outAt, int itsRows, int count) {
            System.arraycopy(in, at, out, outAt, count);
            for (int row = 1; row < itsRows; row++) {
                int next = at + row * step;
                for (int i = 0; i < count; i++) {
                    out[outAt + i] =
                            (byte) (Math.max((byte) (in[next + i] ^ flip), (byte) (out[outAt + i] ^ flip)) ^ flip);
                }
            }
        }
    }

    /** Where a bin begins, or ends, along an axis of the image: pixels that two bins share belong to both. */
    private static int edge(int bin, int bins, float regionStart, float regionEnd, int size, boolean end) {
        int start = rounded(regionStart);
        int length = Math.max(rounded(regionEnd) - start + 1, 1);
        float step = (float) length / bins;
        int at = start + (int) (end ? Math.ceil(step * (bin + 1)) : Math.floor(step * bin));
        return Math.min(Math.max(at, 0), size);
    }

    /** To the nearest pixel; the value is not negative. */
    private static int rounded(float value) {
        return (int) Math.floor(value + 0.5);
    }

    @Override
    public String label() {
        return "roi pool to " + height + "x" + width;
    }
}
