package org.torchnnapi.kernels.internal.vector;

import static org.torchnnapi.kernels.internal.vector.Lanes.FLOATS;
import static org.torchnnapi.kernels.internal.vector.Lanes.V;

import jdk.incubator.vector.FloatVector;
import org.torchnnapi.kernels.Clamp;
import org.torchnnapi.kernels.Pooling;
import org.torchnnapi.kernels.Rounding;
import org.torchnnapi.kernels.internal.PoolAxis;
import org.torchnnapi.kernels.internal.PoolKernel;
import org.torchnnapi.kernels.internal.PoolSpec;
import org.torchnnapi.kernels.internal.portable.PoolLoops;

/** Pooling where at least V channels lie together: a vector of channels at a time, its window summed in a register. */
record VectorPool(PoolSpec spec) implements PoolKernel {
    @Override
    public void run(
            byte[] in,
            int inOffset,
            byte[] out,
            int outOffset,
            boolean signed,
            int origin,
            int padding,
            Rounding rounding,
            int min,
            int max,
            int begin,
            int end) {
        if (!ByteLanes.SUPPORTED || !WarmUp.isPoolReady(spec.kind() == Pooling.Kind.MAX)) {
            PoolLoops.quantized(
                    spec, in, inOffset, out, outOffset, signed, origin, padding, rounding, min, max, begin, end);
            return;
        }
        byte flip = (byte) (signed ? 0 : 0x80);
        int raised = signed ? 0 : 128;
        boolean largest = spec.kind() == Pooling.Kind.MAX;
        int block = spec.block();
        int[] values = VectorScratch.get().ints;
        int groups = (block + spec.group() - 1) / spec.group();
        PoolAxis down = PoolAxis.down(spec);
        PoolAxis across = PoolAxis.across(spec);
        for (int unit = begin; unit < end; unit++) {
            int row = unit / groups;
            int from = unit % groups * spec.group();
            int to = Math.min(from + spec.group(), block);
            for (int ox = 0; ox < spec.window().outW(); ox++) {
                Cut cut = new Cut(spec, down, across, row, ox);
                int area = cut.area;
                int constant = raised * cut.inside() + (area - cut.inside()) * padding - area * origin;
                int target = outOffset + (row * spec.window().outW() + ox) * block;
                // The last vector moves back to stay inside the block.
                for (int c = from; c < to; c += V) {
                    int lane = Math.min(c, to - V);
                    if (largest) {
                        ByteLanes.largest(
                                in,
                                inOffset + cut.first + lane,
                                cut.rows,
                                cut.rowStep,
                                cut.cols,
                                cut.colStep,
                                flip,
                                values);
                    } else {
                        ByteLanes.sums(
                                in,
                                inOffset + cut.first + lane,
                                cut.rows,
                                cut.rowStep,
                                cut.cols,
                                cut.colStep,
                                flip,
                                values);
                    }
                    for (int i = 0; i < V; i++) {
                        int result = largest
                                ? values[i] + raised
                                : PoolLoops.mean(spec, values[i] + constant, area, rounding) + origin;
                        out[target + lane + i] = (byte) Math.min(Math.max(result, min), max);
                    }
                }
            }
        }
    }

    @Override
    public void run(float[] in, int inOffset, float[] out, int outOffset, int begin, int end) {
        Clamp clamp = spec.clamp();
        int block = spec.block();
        boolean largest = spec.kind() == Pooling.Kind.MAX;
        PoolAxis down = PoolAxis.down(spec);
        PoolAxis across = PoolAxis.across(spec);
        for (int unit = begin; unit < end; unit++) {
            for (int ox = 0; ox < spec.window().outW(); ox++) {
                Cut cut = new Cut(spec, down, across, unit, ox);
                int first = inOffset + cut.first;
                int target = outOffset + (unit * spec.window().outW() + ox) * block;
                // The last vector moves back to stay inside the block.
                for (int c = 0; c < block; c += V) {
                    int lane = Math.min(c, block - V);
                    FloatVector v = largest
                            ? largest(in, first + lane, cut.rows, cut.rowStep, cut.cols, cut.colStep)
                            : sum(in, first + lane, cut.rows, cut.rowStep, cut.cols, cut.colStep)
                                    .div((float) cut.area);
                    Lanes.limit(v, clamp.min(), clamp.max()).intoArray(out, target + lane);
                }
            }
        }
    }

    /**
     * The part of one output's window that lies inside the image: where it begins, its extent and the elements between
     * its rows and columns.
     */
    private static final class Cut {
        private final int first;
        private final int rows;
        private final int cols;
        private final int rowStep;
        private final int colStep;
        private final int area;

        Cut(PoolSpec spec, PoolAxis down, PoolAxis across, int unit, int ox) {
            Pooling.Window w = spec.window();
            int oy = unit % w.outH();
            rows = down.count(oy);
            cols = across.count(ox);
            first = (unit / w.outH() * w.inH() * w.inW() + down.first(oy) * w.inW() + across.first(ox)) * spec.block();
            rowStep = down.dilation() * w.inW() * spec.block();
            colStep = across.dilation() * spec.block();
            area = down.divisor(oy) * across.divisor(ox);
        }

        int inside() {
            return rows * cols;
        }
    }

    private static FloatVector largest(float[] in, int first, int rows, int rowStep, int cols, int colStep) {
        FloatVector v = FloatVector.broadcast(FLOATS, Float.NEGATIVE_INFINITY);
        for (int y = 0; y < rows; y++) {
            for (int x = 0; x < cols; x++) {
                v = v.max(FloatVector.fromArray(FLOATS, in, first + y * rowStep + x * colStep));
            }
        }
        return v;
    }

    private static FloatVector sum(float[] in, int first, int rows, int rowStep, int cols, int colStep) {
        FloatVector v = FloatVector.zero(FLOATS);
        for (int y = 0; y < rows; y++) {
            for (int x = 0; x < cols; x++) {
                v = v.add(FloatVector.fromArray(FLOATS, in, first + y * rowStep + x * colStep));
            }
        }
        return v;
    }
}
