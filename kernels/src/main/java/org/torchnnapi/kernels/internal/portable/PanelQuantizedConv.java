package org.torchnnapi.kernels.internal.portable;

import java.util.Arrays;
import org.torchnnapi.kernels.ByteEpilogue;
import org.torchnnapi.kernels.internal.ConvPhase;
import org.torchnnapi.kernels.internal.QuantizedConvKernel;
import org.torchnnapi.kernels.internal.QuantizedConvSpec;

/**
 * Any quantized convolution in any layout, exact, with float arithmetic: integers up to 2^24 are exact in a float,
 * products reach 255 * 255, so the sums of one panel ({@link PanelPlan#DEPTH} = 256 products) are, whatever their
 * order; panels are then added as integers.
 */
final class PanelQuantizedConv extends PanelConvBase<byte[]> implements QuantizedConvKernel {
    private final QuantizedConvSpec spec;

    PanelQuantizedConv(QuantizedConvSpec spec) {
        super(spec.shape(), spec.in(), spec.out(), spec::weight);
        this.spec = spec;
    }

    @Override
    public void run(byte[] in, int inOffset, byte[] out, int outOffset, int begin, int end) {
        runFinishing(in, inOffset, null, 0, null, out, outOffset, begin, end);
    }

    @Override
    public void runFinishing(
            byte[] in,
            int inOffset,
            byte[] residual,
            int residualOffset,
            ByteEpilogue after,
            byte[] out,
            int outOffset,
            int begin,
            int end) {
        PanelScratch scratch = PanelScratch.get();
        PanelPlan.Unit unit = scratch.unit;
        for (int index = begin; index < end; index++) {
            plan.decode(index, unit);
            int firstOut = unit.group() * plan.outPerGroup + unit.firstOut();
            for (int r = 0; r < unit.outs(); r++) {
                Arrays.fill(scratch.integerSums[r], 0, unit.pixels(), spec.bias()[firstOut + r]);
            }
            int depth = plan.depth(unit.phase());
            for (int k = 0; k < depth; k += PanelPlan.DEPTH) {
                int rows = Math.min(PanelPlan.DEPTH, depth - k);
                packPanel(in, inOffset, unit, k, rows, scratch.panel);
                for (int r = 0; r < unit.outs(); r++) {
                    Arrays.fill(scratch.sums[r], 0, unit.pixels(), 0f);
                }
                PanelProduct.accumulate(
                        scratch.sums,
                        unit.outs(),
                        scratch.panel,
                        rows,
                        weights[unit.phase()],
                        firstOut * depth + k,
                        depth,
                        unit.pixels());
                for (int r = 0; r < unit.outs(); r++) {
                    addExact(scratch.integerSums[r], scratch.sums[r], unit.pixels());
                }
            }
            for (int r = 0; r < unit.outs(); r++) {
                write(scratch.integerSums[r], unit, firstOut + r, out, outOffset);
            }
            if (after != null) {
                add(unit, firstOut, residual, residualOffset, after, out, outOffset);
            }
        }
    }

    private static void addExact(int[] sums, float[] panelSums, int n) {
        for (int i = 0; i < n; i++) {
            sums[i] += (int) panelSums[i];
        }
    }

    @Override
    void load(byte[] in, int source, int step, float[] row, int from, int to) {
        int mask = spec.signedInput() ? -1 : 0xff;
        for (int p = from, s = source; p < to; p++, s += step) {
            row[p] = (in[s] & mask) - spec.inputZeroPoint();
        }
    }

    private void write(int[] sums, PanelPlan.Unit unit, int channel, byte[] out, int outOffset) {
        ConvPhase phase = plan.phases.get(unit.phase());
        int outW = spec.shape().outW();
        int base = outOffset + channel / outBlock * outBlock * spec.shape().outH() * outW + channel % outBlock;
        for (int p = 0; p < unit.pixels(); p++) {
            int pixel = phase.outPixel(unit.firstPixel() + p, outW);
            out[base + pixel * outBlock] = (byte) spec.requantization().apply(sums[p], channel);
        }
    }

    private void add(
            PanelPlan.Unit unit,
            int firstOut,
            byte[] residual,
            int residualOffset,
            ByteEpilogue after,
            byte[] out,
            int outOffset) {
        ConvPhase phase = plan.phases.get(unit.phase());
        int outW = spec.shape().outW();
        int plane = spec.shape().outH() * outW;
        for (int p = 0; p < unit.pixels(); p++) {
            int pixel = phase.outPixel(unit.firstPixel() + p, outW);
            int run;
            for (int r = 0; r < unit.outs(); r += run) {
                int channel = firstOut + r;
                run = Math.min(unit.outs() - r, outBlock - channel % outBlock);
                int at = channel / outBlock * outBlock * plane + channel % outBlock + pixel * outBlock;
                after.finish(residual, residualOffset + at, out, outOffset + at, run);
            }
        }
    }
}
