package org.torchnnapi.kernels.internal.portable;

import java.util.Arrays;
import org.torchnnapi.kernels.internal.GemmKernel;
import org.torchnnapi.kernels.internal.GemmSpec;

/**
 * Matrix product by panels of B times packed rows of A; a unit is up to {@link PanelPlan#ROWS} by
 * {@link PanelPlan#TILE} of C.
 */
final class PanelGemm implements GemmKernel {
    private final GemmSpec spec;
    private final int tilesAcross;
    private final int units;

    PanelGemm(GemmSpec spec) {
        this.spec = spec;
        tilesAcross = (spec.n() + PanelPlan.TILE - 1) / PanelPlan.TILE;
        units = Math.multiplyExact(tilesAcross, (spec.m() + PanelPlan.ROWS - 1) / PanelPlan.ROWS);
    }

    @Override
    public int units() {
        return units;
    }

    @Override
    public void run(float[] a, int aOffset, float[] b, int bOffset, float[] c, int cOffset, int begin, int end) {
        PanelScratch scratch = PanelScratch.get();
        for (int unit = begin; unit < end; unit++) {
            int row = unit / tilesAcross * PanelPlan.ROWS;
            int rows = Math.min(PanelPlan.ROWS, spec.m() - row);
            int col = unit % tilesAcross * PanelPlan.TILE;
            int cols = Math.min(PanelPlan.TILE, spec.n() - col);
            for (int r = 0; r < rows; r++) {
                Arrays.fill(scratch.sums[r], 0, cols, 0f);
            }
            for (int k = 0; k < spec.k(); k += PanelPlan.DEPTH) {
                int depth = Math.min(PanelPlan.DEPTH, spec.k() - k);
                packA(a, aOffset + row * spec.aRow() + k * spec.aCol(), rows, depth, scratch.left);
                packB(b, bOffset + k * spec.bRow() + col * spec.bCol(), depth, cols, scratch.panel);
                PanelProduct.accumulate(
                        scratch.sums, rows, scratch.panel, depth + 3 & ~3, scratch.left, 0, PanelPlan.DEPTH, cols);
            }
            for (int r = 0; r < rows; r++) {
                write(scratch.sums[r], c, cOffset + (row + r) * spec.cRow() + col, cols);
            }
        }
    }

    private void packA(float[] a, int offset, int rows, int depth, float[] left) {
        for (int r = 0; r < rows; r++) {
            for (int k = 0; k < depth; k++) {
                left[r * PanelPlan.DEPTH + k] = a[offset + r * spec.aRow() + k * spec.aCol()];
            }
            Arrays.fill(left, r * PanelPlan.DEPTH + depth, r * PanelPlan.DEPTH + (depth + 3 & ~3), 0f);
        }
    }

    private void packB(float[] b, int offset, int depth, int cols, float[][] panel) {
        for (int k = 0; k < depth; k++) {
            float[] row = panel[k];
            int source = offset + k * spec.bRow();
            if (spec.bCol() == 1) {
                System.arraycopy(b, source, row, 0, cols);
                continue;
            }
            for (int p = 0; p < cols; p++) {
                row[p] = b[source + p * spec.bCol()];
            }
        }
        for (int k = depth; k < (depth + 3 & ~3); k++) {
            Arrays.fill(panel[k], 0, cols, 0f);
        }
    }

    private void write(float[] sums, float[] c, int offset, int cols) {
        for (int p = 0; p < cols; p++) {
            float sum = spec.alpha() * sums[p];
            c[offset + p] = spec.clamp().apply(spec.beta() == 0 ? sum : sum + spec.beta() * c[offset + p]);
        }
    }
}
