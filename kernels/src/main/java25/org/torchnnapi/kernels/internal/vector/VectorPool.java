package org.torchnnapi.kernels.internal.vector;

import static org.torchnnapi.kernels.internal.vector.Lanes.FLOATS;
import static org.torchnnapi.kernels.internal.vector.Lanes.V;

import jdk.incubator.vector.FloatVector;
import org.torchnnapi.kernels.Clamp;
import org.torchnnapi.kernels.Pooling;
import org.torchnnapi.kernels.Rounding;
import org.torchnnapi.kernels.internal.PoolKernel;
import org.torchnnapi.kernels.internal.PoolSpec;
import org.torchnnapi.kernels.internal.portable.PoolLoops;

/** Pooling where at least V channels lie together: a vector of channels at a time, its window summed in a register. */
record VectorPool(PoolSpec spec) implements PoolKernel {
    @Override
    public void run(byte[] in, int inOffset, byte[] out, int outOffset, boolean signed, int origin, int padding, Rounding rounding, int min,
                    int max, int begin, int end) {
        PoolLoops.quantized(spec.window(), spec.kind(), spec.block(), in, inOffset, out, outOffset, signed, origin, padding, rounding, min,
            max, begin, end);
    }

    @Override
    public void run(float[] in, int inOffset, float[] out, int outOffset, int begin, int end) {
        Pooling.Window w = spec.window();
        Pooling.Kind kind = spec.kind();
        Clamp clamp = spec.clamp();
        int block = spec.block();
        boolean max = kind == Pooling.Kind.MAX;
        int dilationH = max ? w.dilationH() : 1;
        int dilationW = max ? w.dilationW() : 1;
        for (int unit = begin; unit < end; unit++) {
            int plane = inOffset + unit / w.outH() * w.inH() * w.inW() * block;
            int startY = unit % w.outH() * w.strideH() - w.padTop();
            int y0 = PoolLoops.first(startY, dilationH);
            int rows = count(y0, Math.min(startY + w.kernelH() * dilationH, w.inH()), dilationH);
            for (int ox = 0; ox < w.outW(); ox++) {
                int startX = ox * w.strideW() - w.padLeft();
                int x0 = PoolLoops.first(startX, dilationW);
                int cols = count(x0, Math.min(startX + w.kernelW() * dilationW, w.inW()), dilationW);
                int first = plane + (y0 * w.inW() + x0) * block;
                int target = outOffset + (unit * w.outW() + ox) * block;
                int rowStep = dilationH * w.inW() * block;
                int colStep = dilationW * block;
                float area = kind == Pooling.Kind.AVERAGE_WITH_PADDING ? PoolLoops.paddedArea(w, startY, startX) : rows * cols;
                // The last vector moves back to stay inside the block.
                for (int c = 0; c < block; c += V) {
                    int lane = Math.min(c, block - V);
                    FloatVector v = max ? largest(in, first + lane, rows, rowStep, cols, colStep)
                        : sum(in, first + lane, rows, rowStep, cols, colStep).div(area);
                    Lanes.limit(v, clamp.min(), clamp.max()).intoArray(out, target + lane);
                }
            }
        }
    }

    private static int count(int first, int end, int dilation) {
        return end <= first ? 0 : (end - first + dilation - 1) / dilation;
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
