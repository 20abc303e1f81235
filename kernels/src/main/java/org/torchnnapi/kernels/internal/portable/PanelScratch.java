package org.torchnnapi.kernels.internal.portable;

/** One thread's buffers for the panel kernels, made on its first use and kept. */
final class PanelScratch {
    private static final ThreadLocal<PanelScratch> OF_THREAD = ThreadLocal.withInitial(PanelScratch::new);

    final float[][] panel = new float[PanelPlan.DEPTH][PanelPlan.TILE];
    final float[][] sums = new float[PanelPlan.ROWS][PanelPlan.TILE];
    final float[] left = new float[PanelPlan.ROWS * PanelPlan.DEPTH];
    final PanelPlan.Unit unit = new PanelPlan.Unit();
    final int[][] integerSums = new int[PanelPlan.ROWS][PanelPlan.TILE];

    static PanelScratch get() {
        return OF_THREAD.get();
    }
}
