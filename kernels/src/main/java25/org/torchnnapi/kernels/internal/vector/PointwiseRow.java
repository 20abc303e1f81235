package org.torchnnapi.kernels.internal.vector;

import static org.torchnnapi.kernels.internal.vector.Lanes.V;
import static org.torchnnapi.kernels.internal.vector.TileKernel.HEIGHT;

import java.util.Arrays;
import org.torchnnapi.kernels.internal.FloatConvSpec;

/**
 * A row of pixels of a pointwise convolution whose sums are exact. Its input lies as {@code [channel
 * block][columns][V]}, and so does its output, with a distance of its own between the blocks.
 */
final class PointwiseRow {
    private final int columns;
    private final int outC;
    private final int outStep;
    private final int[] taps;
    private final float[] weights;
    private final float[] bias;
    private final int panels;
    private final RuleLanes rule;

    /**
     * @param columns at least {@link TileKernel#HEIGHT}
     * @param outStep floats from one block of output channels to the next
     * @param rule makes the sums inputs of the next convolution; null to leave them
     */
    PointwiseRow(FloatConvSpec spec, int columns, int outStep, RuleLanes rule) {
        this.columns = columns;
        this.outStep = outStep;
        this.rule = rule;
        int inC = spec.shape().inC();
        outC = spec.shape().outC();
        panels = (outC + 2 * V - 1) / (2 * V);
        bias = Arrays.copyOf(spec.bias(), panels * 2 * V);
        taps = new int[(inC + V - 1) / V];
        for (int i = 0; i < taps.length; i++) {
            taps[i] = i * columns * V;
        }
        int depth = taps.length * V;
        weights = new float[Math.multiplyExact(panels * 2 * V, depth)];
        for (int oc = 0; oc < outC; oc++) {
            for (int ic = 0; ic < inC; ic++) {
                weights[(oc / (2 * V) * depth + ic) * 2 * V + oc % (2 * V)] = spec.weight(oc, ic, 0);
            }
        }
    }

    void run(float[] in, int inAt, float[] out, int outAt, float[] sums) {
        boolean ready = WarmUp.isDenseReady(0);
        for (int panel = 0; panel < panels; panel++) {
            int w = panel * taps.length * V * 2 * V;
            int target = outAt + 2 * panel * outStep;
            int vectors = (2 * panel + 1) * V < outC ? 2 : 1;
            for (int x = 0; x < columns; x += HEIGHT) {
                // The last tile moves back to stay inside the row.
                int first = Math.min(x, columns - HEIGHT) * V;
                if (ready) {
                    TileKernel.run(
                            0,
                            in,
                            inAt + first,
                            taps,
                            weights,
                            w,
                            bias,
                            2 * panel * V,
                            null,
                            0,
                            out,
                            target + first,
                            V,
                            (vectors - 1) * outStep,
                            0,
                            0);
                } else {
                    PlainTiles.dense(
                            0,
                            in,
                            inAt + first,
                            taps,
                            weights,
                            w,
                            bias,
                            2 * panel * V,
                            null,
                            0,
                            out,
                            target + first,
                            V,
                            (vectors - 1) * outStep,
                            0,
                            0,
                            sums);
                }
            }
            for (int v = 0; rule != null && v < vectors; v++) {
                rule.round(out, target + v * outStep, (2 * panel + v) * V, columns);
            }
        }
    }
}
