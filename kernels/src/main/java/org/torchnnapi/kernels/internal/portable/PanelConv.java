package org.torchnnapi.kernels.internal.portable;

import java.util.Arrays;
import org.torchnnapi.kernels.Activation;
import org.torchnnapi.kernels.ElementwiseOps;
import org.torchnnapi.kernels.internal.ConvPhase;
import org.torchnnapi.kernels.internal.FloatConvKernel;
import org.torchnnapi.kernels.internal.FloatConvSpec;

/** Any float convolution in any layout: panels of input pixels (implicit im2col) times rows of weights. */
final class PanelConv extends PanelConvBase<float[]> implements FloatConvKernel {
    private final FloatConvSpec spec;

    PanelConv(FloatConvSpec spec) {
        super(spec.shape(), spec.in(), spec.out(), spec::weight);
        this.spec = spec;
    }

    @Override
    public void run(
            float[] in,
            int inOffset,
            float[] residual,
            int residualOffset,
            float[] out,
            int outOffset,
            int begin,
            int end) {
        PanelScratch scratch = PanelScratch.get();
        PanelPlan.Unit unit = scratch.unit;
        for (int index = begin; index < end; index++) {
            plan.decode(index, unit);
            int firstOut = unit.group() * plan.outPerGroup + unit.firstOut();
            for (int r = 0; r < unit.outs(); r++) {
                Arrays.fill(scratch.sums[r], 0, unit.pixels(), spec.bias()[firstOut + r]);
            }
            int depth = plan.depth(unit.phase());
            for (int k = 0; k < depth; k += PanelPlan.DEPTH) {
                int rows = Math.min(PanelPlan.DEPTH, depth - k);
                packPanel(in, inOffset, unit, k, rows, scratch.panel);
                PanelProduct.accumulate(
                        scratch.sums,
                        unit.outs(),
                        scratch.panel,
                        rows,
                        weights[unit.phase()],
                        firstOut * depth + k,
                        depth,
                        unit.pixels());
            }
            for (int r = 0; r < unit.outs(); r++) {
                write(scratch.sums[r], unit, firstOut + r, residual, residualOffset, out, outOffset);
            }
        }
    }

    @Override
    void load(float[] in, int source, int step, float[] row, int from, int to) {
        if (step == 1 && to > from) {
            System.arraycopy(in, source, row, from, to - from);
            return;
        }
        for (int p = from, s = source; p < to; p++, s += step) {
            row[p] = in[s];
        }
    }

    private void write(
            float[] sums,
            PanelPlan.Unit unit,
            int channel,
            float[] residual,
            int residualOffset,
            float[] out,
            int outOffset) {
        ConvPhase phase = plan.phases.get(unit.phase());
        int outW = spec.shape().outW();
        int base = channel / outBlock * outBlock * spec.shape().outH() * outW + channel % outBlock;
        if (residual == null) {
            activate(sums, unit.pixels(), spec.activation());
        }
        int step = phase.stepX() * outBlock;
        int done = 0;
        while (done < unit.pixels()) {
            int first = unit.firstPixel() + done;
            int n = Math.min(unit.pixels() - done, phase.cols() - first % phase.cols());
            int target = base + phase.outPixel(first, outW) * outBlock;
            if (residual != null) {
                for (int p = 0; p < n; p++) {
                    out[outOffset + target + p * step] =
                            spec.activation().apply(sums[done + p] + residual[residualOffset + target + p * step]);
                }
            } else if (step == 1) {
                System.arraycopy(sums, done, out, outOffset + target, n);
            } else {
                for (int p = 0; p < n; p++) {
                    out[outOffset + target + p * step] = sums[done + p];
                }
            }
            done += n;
        }
    }

    private static void activate(float[] values, int n, Activation activation) {
        if (activation.function() != null) {
            ElementwiseOps.unary(activation.function(), values, 0, values, 0, n);
        }
        limit(values, n, activation.clamp().min(), activation.clamp().max());
    }

    private static void limit(float[] values, int n, float min, float max) {
        for (int i = 0; i < n; i++) {
            values[i] = Math.min(Math.max(values[i], min), max);
        }
    }
}
