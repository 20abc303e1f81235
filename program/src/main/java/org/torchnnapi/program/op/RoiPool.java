package org.torchnnapi.program.op;

import java.util.Arrays;
import java.util.List;
import org.torchnnapi.kernels.BinaryOp;
import org.torchnnapi.kernels.Clamp;
import org.torchnnapi.kernels.ElementwiseOps;
import org.torchnnapi.program.Memory;
import org.torchnnapi.program.Op;
import org.torchnnapi.program.Operand;
import org.torchnnapi.program.Operands;
import org.torchnnapi.program.Step;
import org.torchnnapi.program.ValueType;

/**
 * Regions of images, rounded to pixels, each divided into bins; a bin is the largest of its pixels, 0 if it has none (Girshick, Fast R-CNN,
 * 2015). Inputs and result as {@link RoiAlign} has them; bytes keep their scale and zero point. An execution with a region outside its
 * image fails.
 *
 * @param height bins of a region from top to bottom
 * @param width bins of a region from left to right
 * @param rowStride what y1 and y2 are divided by; likewise {@code columnStride} x1 and x2
 */
public record RoiPool(int height, int width, float rowStride, float columnStride) implements Op {
    private static final ThreadLocal<Region> REGION = ThreadLocal.withInitial(Region::new);

    @Override
    public ValueType result(List<ValueType> inputs) {
        int regions = Region.require(inputs);
        return inputs.get(0).withShape(regions, height, width, inputs.get(0).dimension(3));
    }

    @Override
    public Step compile(Operands operands) {
        return new Step(operands.in(1).type().dimension(0) * height, memory -> {
            Bins bins = operands.in(0).isFloat() ? new FloatBins(operands, memory) : new ByteBins(operands, memory);
            return (begin, end) -> {
                for (int unit = begin; unit < end; unit++) {
                    bins.row(unit / height, unit % height, REGION.get());
                }
            };
        }).joined(operands.in(0).type().count());
    }

    /** The bins of regions, over the memory of a run. */
    private abstract class Bins {
        final int channels;
        private final Operand images;
        private final int rows;
        private final int columns;
        private final float[] corners;
        private final int cornersAt;
        private final int[] places;
        private final int placesAt;
        private final int fromAt;
        private final int toAt;

        Bins(Operands operands, Memory memory) {
            images = operands.in(0);
            rows = images.type().dimension(1);
            columns = images.type().dimension(2);
            channels = images.type().dimension(3);
            corners = operands.in(1).floats(memory);
            cornersAt = operands.in(1).at(memory);
            places = operands.in(2).ints(memory);
            placesAt = operands.in(2).at(memory);
            fromAt = images.at(memory);
            toAt = operands.out().at(memory);
        }

        /** One row of bins of a region. */
        void row(int number, int y, Region region) {
            region.read(corners, cornersAt + number * 4, places[placesAt + number], rowStride, columnStride, images);
            int top = edge(y, height, region.y1(), region.y2(), rows, false);
            int bottom = edge(y, height, region.y1(), region.y2(), rows, true);
            for (int x = 0; x < width; x++) {
                int left = edge(x, width, region.x1(), region.x2(), columns, false);
                int right = edge(x, width, region.x1(), region.x2(), columns, true);
                int bin = toAt + ((number * height + y) * width + x) * channels;
                if (left >= right || top >= bottom) {
                    clear(bin);
                }
                for (int row = top; row < bottom; row++) {
                    int line = (region.image() * rows + row) * columns;
                    for (int column = left; column < right; column++) {
                        take(fromAt + (line + column) * channels, bin, row == top && column == left);
                    }
                }
            }
        }

        /** Makes a bin 0. */
        abstract void clear(int bin);

        /** Makes a bin a pixel, or where it is not the first, the larger of both. */
        abstract void take(int pixel, int bin, boolean first);
    }

    private final class FloatBins extends Bins {
        private final float[] from;
        private final float[] to;

        FloatBins(Operands operands, Memory memory) {
            super(operands, memory);
            from = operands.in(0).floats(memory);
            to = operands.out().floats(memory);
        }

        @Override
        void clear(int bin) {
            Arrays.fill(to, bin, bin + channels, 0);
        }

        @Override
        void take(int pixel, int bin, boolean first) {
            if (first) {
                System.arraycopy(from, pixel, to, bin, channels);
            } else {
                ElementwiseOps.binary(BinaryOp.MAX, from, pixel, to, bin, to, bin, channels, Clamp.NONE);
            }
        }
    }

    private final class ByteBins extends Bins {
        private final byte[] from;
        private final byte[] to;
        private final byte zero;
        /** The bits that make bytes compare as signed ones. */
        private final int flip;

        ByteBins(Operands operands, Memory memory) {
            super(operands, memory);
            from = operands.in(0).bytes(memory);
            to = operands.out().bytes(memory);
            zero = (byte) operands.in(0).type().zeroPoint();
            flip = operands.in(0).type().element().isSigned() ? 0 : 0x80;
        }

        @Override
        void clear(int bin) {
            Arrays.fill(to, bin, bin + channels, zero);
        }

        @Override
        void take(int pixel, int bin, boolean first) {
            if (first) {
                System.arraycopy(from, pixel, to, bin, channels);
                return;
            }
            for (int c = 0; c < channels; c++) {
                to[bin + c] = (byte) (Math.max((byte) (from[pixel + c] ^ flip), (byte) (to[bin + c] ^ flip)) ^ flip);
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
        return "regions pooled to " + height + "x" + width;
    }
}
