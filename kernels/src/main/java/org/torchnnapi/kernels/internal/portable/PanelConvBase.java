package org.torchnnapi.kernels.internal.portable;

import java.util.Arrays;
import org.torchnnapi.kernels.ConvShape;
import org.torchnnapi.kernels.ImageLayout;
import org.torchnnapi.kernels.internal.ConvPhase;

/**
 * What the panel convolutions share: packed weights, and the gathering of input pixels into panel rows.
 *
 * @param <A> the array type of the images
 */
abstract class PanelConvBase<A> {
    /** The weight of a (output channel, input channel of its group, kernel position). */
    interface Weights {
        float at(int outChannel, int inChannelOfGroup, int tap);
    }

    final PanelPlan plan;
    /** By phase: {@code [outC][depth]}. */
    final float[][] weights;

    final int outBlock;
    private final ConvShape shape;
    private final int inBlock;

    PanelConvBase(ConvShape shape, ImageLayout in, ImageLayout out, Weights source) {
        this.shape = shape;
        plan = new PanelPlan(shape);
        inBlock = in.block(shape.inC());
        outBlock = out.block(shape.outC());
        weights = new float[plan.phases.size()][];
        for (int phase = 0; phase < weights.length; phase++) {
            int[] taps = plan.phases.get(phase).taps();
            int depth = plan.depth(phase);
            float[] packed = new float[Math.multiplyExact(depth, shape.outC())];
            for (int oc = 0; oc < shape.outC(); oc++) {
                for (int ic = 0; ic < plan.inPerGroup; ic++) {
                    for (int t = 0; t < taps.length; t++) {
                        packed[oc * depth + ic * taps.length + t] = source.at(oc, ic, taps[t]);
                    }
                }
            }
            weights[phase] = packed;
        }
    }

    public int units() {
        return plan.units();
    }

    /** Writes elements {@code source + i * step} to {@code row[from + i]} for {@code from + i < to}. */
    abstract void load(A in, int source, int step, float[] row, int from, int to);

    final void packPanel(A in, int inOffset, PanelPlan.Unit unit, int firstRow, int rows, float[][] panel) {
        ConvPhase phase = plan.phases.get(unit.phase());
        int taps = phase.taps().length;
        int plane = shape.inH() * shape.inW();
        for (int row = 0; row < rows; row++) {
            int channelOfGroup = (firstRow + row) / taps;
            if (channelOfGroup >= plan.inPerGroup) {
                Arrays.fill(panel[row], 0, unit.pixels(), 0f);
                continue;
            }
            int channel = unit.group() * plan.inPerGroup + channelOfGroup;
            int base = inOffset + channel / inBlock * inBlock * plane + channel % inBlock;
            packRow(in, base, phase, (firstRow + row) % taps, unit, panel[row]);
        }
    }

    private void packRow(A in, int base, ConvPhase phase, int tap, PanelPlan.Unit unit, float[] row) {
        int inW = shape.inW();
        int done = 0;
        while (done < unit.pixels()) {
            int j = (unit.firstPixel() + done) / phase.cols();
            int i = (unit.firstPixel() + done) % phase.cols();
            int n = Math.min(unit.pixels() - done, phase.cols() - i);
            int y = j * phase.inStepY() + phase.dy()[tap];
            int from = i;
            int to = i;
            if (y >= 0 && y < shape.inH()) {
                from = phase.firstInside(tap, i, i + n);
                to = Math.max(from, phase.endInside(tap, i, i + n, inW));
            }
            Arrays.fill(row, done, done + from - i, 0f);
            int source = base + (y * inW + from * phase.inStepX() + phase.dx()[tap]) * inBlock;
            load(in, source, phase.inStepX() * inBlock, row, done + from - i, done + to - i);
            Arrays.fill(row, done + to - i, done + n, 0f);
            done += n;
        }
    }
}
