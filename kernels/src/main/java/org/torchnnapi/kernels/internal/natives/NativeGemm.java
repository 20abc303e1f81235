package org.torchnnapi.kernels.internal.natives;

import org.torchnnapi.kernels.internal.Bands;
import org.torchnnapi.kernels.internal.GemmKernel;
import org.torchnnapi.kernels.internal.GemmSpec;

/**
 * Matrix product by the tiles of the convolutions; a second operand that many rows meet is packed on the way, see
 * float_gemm.c.
 */
final class NativeGemm implements GemmKernel {
    private static final FloatWork GEMM = new FloatWork("float_gemm");
    private static final int PANEL = NativeFloatConv.PANEL;
    /** Rows are cut in multiples of this, whole tiles of most instruction sets. */
    private static final int ROWS = 56;

    private final NativeMemory struct;
    private final int units;
    private final long scratch;

    NativeGemm(GemmSpec spec) {
        int panels = (spec.n() + PANEL - 1) / PANEL;
        long work = (long) spec.m() * spec.n() * spec.k();
        int wanted = (Bands.wanted(work / NativeFloatConv.LEAST_WORK) + Math.max(panels, 1) - 1) / Math.max(panels, 1);
        int share = (spec.m() + wanted - 1) / wanted;
        int unitRows = Math.max(1, (share + ROWS - 1) / ROWS) * ROWS;
        units = Math.multiplyExact(panels, (spec.m() + unitRows - 1) / unitRows);
        scratch = (long) spec.k() * PANEL + 1;
        struct = new FloatGemmStruct()
                .aRow(spec.aRow())
                .aCol(spec.aCol())
                .bRow(spec.bRow())
                .bCol(spec.bCol())
                .cRow(spec.cRow())
                .m(spec.m())
                .n(spec.n())
                .k(spec.k())
                .unitRows(unitRows)
                .alpha(spec.alpha())
                .beta(spec.beta())
                .min(spec.clamp().min())
                .max(spec.clamp().max())
                .memory();
    }

    @Override
    public int units() {
        return units;
    }

    @Override
    public void run(float[] a, int aOffset, float[] b, int bOffset, float[] c, int cOffset, int begin, int end) {
        GEMM.run(struct, a, aOffset, b, bOffset, c, cOffset, FloatScratch.get(scratch), begin, end);
    }
}
