package org.torchnnapi.program.op;

import java.util.Arrays;
import java.util.List;
import org.torchnnapi.kernels.BinaryOp;
import org.torchnnapi.kernels.Clamp;
import org.torchnnapi.kernels.ElementwiseOps;
import org.torchnnapi.program.Op;
import org.torchnnapi.program.Operands;
import org.torchnnapi.program.PlacedValue;
import org.torchnnapi.program.RunMemory;
import org.torchnnapi.program.Step;
import org.torchnnapi.program.ValueType;

/**
 * The place and score of each keypoint in each box (He et al., Mask R-CNN, 2017). Inputs: heatmaps {@code [boxes, size,
 * size, keypoints]} of floats or bytes, each of which lies over its box; boxes {@code [boxes, 4]} as x1, y1, x2, y2. A
 * maximum is refined by the peak of the quadratic through the nine pixels around it, see {@link Peak}. Result: the
 * scores {@code [boxes, keypoints]}, then the places {@code [boxes, keypoints, 2]} as x, y, in one row of floats. An
 * execution with a box that ends before it starts fails.
 *
 * @param tolerance below which, relative to its larger product, the determinant of a peak is rounding noise
 */
public record KeypointsOp(double tolerance) implements Op {
    private static final int BOX = 4;
    private static final ThreadLocal<Scratch> SCRATCH = ThreadLocal.withInitial(Scratch::new);

    /** What one thread works with. */
    private static final class Scratch {
        private final Peak peak = new Peak();
        private final float[] around = new float[Peak.AROUND];
        /** Of each element of a row of pixels the largest of all rows; of bytes as they are stored. */
        private float[] largest = {};

        private int[] largestStored = {};

        void grow(int size) {
            if (largest.length < size) {
                largest = new float[size];
                largestStored = new int[size];
            }
        }
    }

    @Override
    public ValueType result(List<ValueType> inputs) {
        Require.count(inputs, 2, 2);
        ValueType maps = Require.notInts("heatmaps", inputs.get(0));
        Require.rank("heatmaps", maps, 4);
        int boxes = maps.dimension(0);
        int size = maps.dimension(1);
        if (size < 2 || maps.dimension(2) != size) {
            throw new IllegalArgumentException("heatmaps: " + maps + " (expected: square, of 2 by 2 pixels at least)");
        }
        Require.sameShape("boxes", Require.floats("boxes", inputs.get(1)), new int[] {boxes, BOX});
        return ValueType.floats(Math.multiplyExact(3, boxes * maps.dimension(3)));
    }

    @Override
    public Step compile(Operands operands) {
        PlacedValue maps = operands.in(0);
        float[] reals = maps.isFloat() ? null : ByteValues.of(maps.type());
        return new Step(maps.type().dimension(0), memory -> {
            Maps of = reals == null ? new FloatMaps(operands, memory) : new ByteMaps(operands, memory, reals);
            return (begin, end) -> {
                Scratch scratch = SCRATCH.get();
                for (int box = begin; box < end; box++) {
                    of.box(box, scratch);
                }
            };
        });
    }

    @Override
    public String label() {
        return "keypoints";
    }

    /** The heatmaps, over the memory of a run. */
    private abstract class Maps {
        final int row;
        private final int size;
        private final int keypoints;
        private final int count;
        private final int mapsAt;
        private final float[] boxes;
        private final int boxesAt;
        private final float[] to;
        private final int toAt;

        Maps(Operands operands, RunMemory memory) {
            ValueType maps = operands.in(0).type();
            size = maps.dimension(1);
            keypoints = maps.dimension(3);
            row = size * keypoints;
            count = maps.dimension(0) * keypoints;
            mapsAt = operands.in(0).at(memory);
            boxes = operands.in(1).floats(memory);
            boxesAt = operands.in(1).at(memory);
            to = operands.out().floats(memory);
            toAt = operands.out().at(memory);
        }

        void box(int box, Scratch scratch) {
            int at = boxesAt + BOX * box;
            float width = boxes[at + 2] - boxes[at];
            float height = boxes[at + 3] - boxes[at + 1];
            if (!(width >= 0 && height >= 0)) {
                throw new IllegalArgumentException(
                        "size of box " + box + ": " + width + " x " + height + " (expected: >= 0)");
            }
            int map = mapsAt + box * size * row;
            scratch.grow(row);
            findLargest(scratch, map, size);
            for (int k = 0; k < keypoints; k++) {
                Peak peak = scratch.peak;
                locate(peak, map, k, scratch.largest, scratch.around);
                int place = box * keypoints + k;
                to[toAt + place] = (float) peak.score();
                to[toAt + count + 2 * place] = (float) ((peak.x() + 0.5) / size * width + boxes[at]);
                to[toAt + count + 2 * place + 1] = (float) ((peak.y() + 0.5) / size * height + boxes[at + 1]);
            }
        }

        private void locate(Peak peak, int map, int keypoint, float[] largest, float[] around) {
            int first = first(map, keypoint, largest);
            for (int i = 0; i < Peak.AROUND; i++) {
                int y = Peak.mirrored(first / size + i / 3 - 1, size);
                int x = Peak.mirrored(first % size + i % 3 - 1, size);
                around[i] = real(map + y * row + x * keypoints + keypoint);
            }
            peak.refine(first % size, first / size, around, tolerance);
        }

        /**
         * The pixel that has the keypoint's maximum, the first in the order of rows; 0 if none is more than negative
         * infinity.
         */
        private int first(int map, int keypoint, float[] largest) {
            float most = Float.NEGATIVE_INFINITY;
            for (int at = keypoint; at < row; at += keypoints) {
                most = Math.max(most, largest[at]);
            }
            if (Float.isNaN(most)) {
                return firstOfNumbers(map, keypoint);
            }
            int first = size * size;
            for (int x = 0; x < size; x++) {
                if (largest[x * keypoints + keypoint] == most) {
                    int y = 0;
                    while (y * size + x < first && real(map + y * row + x * keypoints + keypoint) != most) {
                        y++;
                    }
                    first = Math.min(first, y * size + x);
                }
            }
            return first;
        }

        /** The same where some are NaN, which are not larger than anything. */
        private int firstOfNumbers(int map, int keypoint) {
            int first = 0;
            float most = Float.NEGATIVE_INFINITY;
            for (int i = 0; i < size * size; i++) {
                float value = real(map + i * keypoints + keypoint);
                if (value > most) {
                    first = i;
                    most = value;
                }
            }
            return first;
        }

        /** Finds the largest of each element of a row over that many rows from a place on; NaN where one is. */
        abstract void findLargest(Scratch scratch, int map, int rows);

        abstract float real(int at);
    }

    private final class FloatMaps extends Maps {
        private final float[] from;

        FloatMaps(Operands operands, RunMemory memory) {
            super(operands, memory);
            from = operands.in(0).floats(memory);
        }

        @Override
        void findLargest(Scratch scratch, int map, int rows) {
            float[] largest = scratch.largest;
            System.arraycopy(from, map, largest, 0, row);
            for (int y = 1; y < rows; y++) {
                ElementwiseOps.binary(BinaryOp.MAX, largest, 0, from, map + y * row, largest, 0, row, Clamp.NONE);
            }
        }

        @Override
        float real(int at) {
            return from[at];
        }
    }

    private final class ByteMaps extends Maps {
        private final byte[] from;
        private final float[] reals;
        private final boolean signed;

        ByteMaps(Operands operands, RunMemory memory, float[] reals) {
            super(operands, memory);
            from = operands.in(0).bytes(memory);
            this.reals = reals;
            signed = operands.in(0).type().element().isSigned();
        }

        @Override
        void findLargest(Scratch scratch, int map, int rows) {
            int[] largest = scratch.largestStored;
            Arrays.fill(largest, 0, row, Byte.MIN_VALUE);
            for (int y = 0; y < rows; y++) {
                if (signed) {
                    raiseSigned(largest, from, map + y * row, row);
                } else {
                    raiseUnsigned(largest, from, map + y * row, row);
                }
            }
            for (int i = 0; i < row; i++) {
                scratch.largest[i] = reals[largest[i] & 0xff];
            }
        }

        private static void raiseSigned(int[] largest, byte[] from, int at, int count) {
            for (int i = 0; i < count; i++) {
                largest[i] = Math.max(largest[i], from[at + i]);
            }
        }

        private static void raiseUnsigned(int[] largest, byte[] from, int at, int count) {
            for (int i = 0; i < count; i++) {
                largest[i] = Math.max(largest[i], from[at + i] & 0xff);
            }
        }

        @Override
        float real(int at) {
            return reals[from[at] & 0xff];
        }
    }
}
