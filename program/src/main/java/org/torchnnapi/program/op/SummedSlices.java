package org.torchnnapi.program.op;

import org.torchnnapi.kernels.Activation;
import org.torchnnapi.kernels.Clamp;
import org.torchnnapi.kernels.FloatConv;
import org.torchnnapi.kernels.ImageLayout;
import org.torchnnapi.kernels.Weights;
import org.torchnnapi.program.Operands;
import org.torchnnapi.program.PlacedValue;
import org.torchnnapi.program.Step;

/** A {@link VolumeConvolutionOp} as sums of the two-dimensional convolutions of single slices: of every kind. */
final class SummedSlices {
    private final int[][] taps;
    private final int kernel;

    private SummedSlices(int[][] taps) {
        this.taps = taps;
        kernel = taps[0].length;
    }

    /**
     * For each slice of the result the slice of the kernel that is taken last, with bias and activation: the same for
     * as many as can be.
     */
    private int[] last() {
        int best = 0;
        int most = -1;
        for (int k = 0; k < kernel; k++) {
            int met = 0;
            for (int[] slice : taps) {
                met += slice[k] >= 0 ? 1 : 0;
            }
            if (met > most) {
                most = met;
                best = k;
            }
        }
        int[] last = new int[taps.length];
        for (int o = 0; o < last.length; o++) {
            last[o] = best;
            for (int k = 0; taps[o][last[o]] < 0; k++) {
                last[o] = k;
            }
        }
        return last;
    }

    /** The weights of slice k of the kernel, whose slices have as many as a plane. */
    private record KernelSlice(int kernel, int plane, int k) implements Weights.Rule {
        @Override
        public int length(int given) {
            return given / kernel;
        }

        @Override
        public float[] of(float[] given) {
            float[] slice = new float[given.length / kernel];
            for (int i = 0; i < slice.length / plane; i++) {
                System.arraycopy(given, (i * kernel + k) * plane, slice, i * plane, plane);
            }
            return slice;
        }
    }

    static Step step(VolumeConvolutionOp op, Operands operands) {
        return new SummedSlices(op.taps()).compile(op, operands);
    }

    private Step compile(VolumeConvolutionOp op, Operands operands) {
        PlacedValue in = operands.in(0);
        PlacedValue out = operands.out();
        ImageLayout from = in.storage().layout(ImageLayout.NCHW, in.type());
        ImageLayout to = out.storage().layout(ImageLayout.NCHW, out.type());
        int[] last = last();
        FloatConv[] partial = new FloatConv[kernel];
        FloatConv[] whole = new FloatConv[kernel];
        int plane = op.shape().kernelH() * op.shape().kernelW();
        int units = Integer.MAX_VALUE;
        for (int k = 0; k < kernel; k++) {
            for (int o = 0; o < taps.length; o++) {
                FloatConv[] wanted = last[o] == k ? whole : partial;
                if (taps[o][k] >= 0 && wanted[k] == null) {
                    Weights weights = op.weights().made(new KernelSlice(kernel, plane, k));
                    wanted[k] = wanted == whole
                            ? FloatConv.plan(op.shape(), from, to, weights, op.bias(), op.activation())
                            : FloatConv.plan(op.shape(), from, to, weights, null, Activation.of(Clamp.NONE));
                    units = Math.min(units, wanted[k].units());
                }
            }
        }
        int inSize = in.imageSize();
        int shares = units;
        return op.step(operands, shares, (slice, source, volume, added, addedAt, target, outAt, begin, end) -> {
            float[] sum = added;
            int sumAt = addedAt;
            for (int i = 0; i <= kernel; i++) {
                int k = i == kernel ? last[slice] : i;
                if (taps[slice][k] >= 0 && i != last[slice]) {
                    VolumeConvolutionOp.run(
                            i == kernel ? whole[k] : partial[k],
                            source,
                            volume + taps[slice][k] * inSize,
                            sum,
                            sumAt,
                            target,
                            outAt,
                            begin,
                            end,
                            shares);
                    sum = target;
                    sumAt = outAt;
                }
            }
        });
    }
}
