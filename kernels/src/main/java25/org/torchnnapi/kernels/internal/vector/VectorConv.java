package org.torchnnapi.kernels.internal.vector;

import static org.torchnnapi.kernels.internal.vector.Lanes.V;
import static org.torchnnapi.kernels.internal.vector.TileKernel.HEIGHT;

import java.util.ArrayList;
import java.util.List;
import org.torchnnapi.kernels.ConvShape;
import org.torchnnapi.kernels.ImageLayout;
import org.torchnnapi.kernels.Machine;
import org.torchnnapi.kernels.internal.Bands;
import org.torchnnapi.kernels.internal.ConvPhase;
import org.torchnnapi.kernels.internal.FloatConvSpec;

/**
 * Any convolution without groups, by register tiles of {@link TileKernel#HEIGHT} pixels by two vectors of output
 * channels. Pointwise convolutions of blocked images read them where they are; all others first copy the rows of a band
 * into a padded scratch image ({@link StagedInput}). Blocked outputs of full tiles are stored in place; others go
 * through a scratch tile.
 */
final class VectorConv extends VectorConvBase {
    /** Pixels whose sums are narrowed together. */
    private static final int STRETCH = 8 * HEIGHT;

    /** One phase, its input geometry, and how its work is cut. */
    private record Part(
            ConvPhase phase,
            StagedInput staged,
            int[] taps,
            float[] weights,
            int bandRows,
            int bandCols,
            int bandsDown,
            int bandsAcross,
            int chunkPanels,
            int chunks,
            int firstUnit) {
        int units() {
            return bandsDown * bandsAcross * chunks;
        }
    }

    private final FloatConvSpec spec;
    private final List<Part> parts = new ArrayList<>();
    private final float[] bias;
    private final int panels;
    private final int outH;
    private final int outW;
    private final int outBlock;
    private final boolean blockedOut;
    private final int kind;
    private final int min;
    private final int max;
    private final int units;

    VectorConv(FloatConvSpec spec) {
        this.spec = spec;
        boolean flat = spec.shape().isPointwise();
        outH = flat ? 1 : spec.shape().outH();
        outW = flat ? spec.shape().outH() * spec.shape().outW() : spec.shape().outW();
        outBlock = spec.out().block(spec.shape().outC());
        blockedOut = spec.out() == ImageLayout.BLOCKED;
        panels = (spec.shape().outC() + 2 * V - 1) / (2 * V);
        bias = new float[panels * 2 * V];
        System.arraycopy(spec.bias(), 0, bias, 0, spec.bias().length);
        boolean planar = isPlanar(spec.shape());
        boolean positive = Lanes.isPositive(spec.activation());
        kind = (planar ? TileKernel.PLANAR : 0) + (positive ? TileKernel.POSITIVE : 0);
        min = Lanes.lowerBits(spec.activation().clamp());
        max = Lanes.upperBits(spec.activation().clamp());
        List<ConvPhase> phases = flat
                ? List.of(new ConvPhase(0, 0, 1, 1, 1, outW, 1, 1, new int[1], new int[1], new int[1]))
                : ConvPhase.of(spec.shape());
        int next = 0;
        for (ConvPhase phase : phases) {
            Part part = part(phase, planar, flat, next);
            parts.add(part);
            next = Math.addExact(next, part.units());
        }
        units = next;
    }

    /** Whether the input is copied a channel at a time, since so few of them would leave most of a vector empty. */
    static boolean isPlanar(ConvShape shape) {
        return shape.inC() <= V / 2;
    }

    /**
     * Bytes of weights that stay in the second cache beside the pixels; of more, panels of weights are the outer loop.
     */
    private static int keptWeights() {
        return Machine.current().secondCache() / 16;
    }

    private Part part(ConvPhase phase, boolean planar, boolean flat, int firstUnit) {
        int depth = spec.shape().inC() * Math.max(phase.taps().length, 1);
        int cap = keptWeights() / Float.BYTES;
        int pixelsOfBand =
                Math.max(cap / Math.max(spec.shape().inC() * phase.inStepX() * phase.inStepY(), 1), 2 * HEIGHT);
        boolean direct = flat && !planar && spec.in() == ImageLayout.BLOCKED && phase.cols() >= HEIGHT;
        int bandCols = phase.cols();
        int bandRows = phase.rows();
        if (phase.rows() == 1) {
            int share = (phase.cols() + Bands.wanted() - 1) / Bands.wanted();
            bandCols = Math.min(phase.cols(), roundUp(Math.min(pixelsOfBand, Math.max(share, 4 * HEIGHT)), HEIGHT));
        } else {
            bandRows = Math.max(1, Math.min(phase.rows(), pixelsOfBand / phase.cols()));
        }
        int bandsDown = (phase.rows() + bandRows - 1) / bandRows;
        int bandsAcross = (phase.cols() + bandCols - 1) / bandCols;
        int bands = bandsDown * bandsAcross;
        int wantedChunks = Math.max(1, Math.min((Bands.wanted() + bands - 1) / bands, panels));
        int chunkPanels = (panels + wantedChunks - 1) / wantedChunks;
        int chunks = (panels + chunkPanels - 1) / chunkPanels;
        StagedInput staged =
                direct ? null : new StagedInput(spec.shape(), spec.in(), phase, flat, planar, bandRows, bandCols);
        int[] taps = direct ? blockOffsets() : staged.tapOffsets();
        return new Part(
                phase,
                staged,
                taps,
                packWeights(phase, planar, depth),
                bandRows,
                bandCols,
                bandsDown,
                bandsAcross,
                chunkPanels,
                chunks,
                firstUnit);
    }

    private int[] blockOffsets() {
        int[] offsets = new int[(spec.shape().inC() + V - 1) / V];
        for (int i = 0; i < offsets.length; i++) {
            offsets[i] = i * outW * V;
        }
        return offsets;
    }

    /** {@code [panel][channel block][tap][channel of block][2 V]}, or planar {@code [panel][channel][tap][2 V]}. */
    private float[] packWeights(ConvPhase phase, boolean planar, int depth) {
        int inC = spec.shape().inC();
        int taps = phase.taps().length;
        int lanes = planar ? 1 : V;
        int rows = (inC + lanes - 1) / lanes * taps * lanes;
        float[] packed = new float[Math.multiplyExact(panels * 2 * V, rows)];
        for (int oc = 0; oc < spec.shape().outC(); oc++) {
            int panel = oc / (2 * V) * rows * 2 * V + oc % (2 * V);
            for (int ic = 0; ic < inC; ic++) {
                for (int t = 0; t < taps; t++) {
                    int row = (ic / lanes * taps + t) * lanes + ic % lanes;
                    packed[panel + row * 2 * V] = spec.weight(oc, ic, phase.taps()[t]);
                }
            }
        }
        return packed;
    }

    @Override
    public int units() {
        return units;
    }

    @Override
    void run(
            float[] in,
            int inOffset,
            float[] residual,
            int residualOffset,
            float[] out,
            int outOffset,
            ByteImages images,
            int begin,
            int end) {
        VectorScratch scratch = VectorScratch.get();
        int index = 0;
        Part stagedPart = null;
        int stagedBand = -1;
        for (int unit = begin; unit < end; unit++) {
            while (unit >= parts.get(index).firstUnit + parts.get(index).units()) {
                index++;
            }
            Part part = parts.get(index);
            int local = unit - part.firstUnit;
            int band = local / part.chunks;
            int firstPanel = local % part.chunks * part.chunkPanels;
            int row = band / part.bandsAcross * part.bandRows;
            int col = band % part.bandsAcross * part.bandCols;
            int rows = Math.min(part.bandRows, part.phase.rows() - row);
            int cols = Math.min(part.bandCols, part.phase.cols() - col);
            float[] source = in;
            if (part.staged != null) {
                source = scratch.input(part.staged.size());
                if (stagedPart != part || stagedBand != band) {
                    part.staged.copy(in, inOffset, images, source, row, col, rows, cols);
                    stagedPart = part;
                    stagedBand = band;
                }
            }
            Job job = new Job(
                    part,
                    source,
                    part.staged == null ? inOffset : 0,
                    residual,
                    residualOffset,
                    out,
                    outOffset,
                    images,
                    scratch);
            job.run(row, col, rows, cols, firstPanel, Math.min(panels, firstPanel + part.chunkPanels));
        }
    }

    private static int roundUp(int value, int multiple) {
        return (value + multiple - 1) / multiple * multiple;
    }

    /** One unit under way: the arrays it works on. Escapes nowhere. */
    private final class Job {
        private final Part part;
        private final float[] in;
        private final int inOffset;
        private final float[] residual;
        private final int residualOffset;
        private final float[] out;
        private final int outOffset;
        private final ByteImages images;
        private final VectorScratch scratch;
        private final float[] tile;

        Job(
                Part part,
                float[] in,
                int inOffset,
                float[] residual,
                int residualOffset,
                float[] out,
                int outOffset,
                ByteImages images,
                VectorScratch scratch) {
            this.part = part;
            this.in = in;
            this.inOffset = inOffset;
            this.residual = residual;
            this.residualOffset = residualOffset;
            this.out = out;
            this.outOffset = outOffset;
            this.images = images;
            this.scratch = scratch;
            tile = scratch.tile;
        }

        /** To bytes: the sums of a stretch of a row of pixels are narrowed together. */
        void runToBytes(int row, int col, int rows, int cols, int firstPanel, int endPanel) {
            ConvPhase phase = part.phase;
            float[] sums = scratch.output(2 * V * STRETCH);
            int firstChannel = 2 * V * firstPanel;
            int channels = Math.min(2 * V * endPanel, spec.shape().outC()) - firstChannel;
            for (int j = row; j < row + rows; j++) {
                int rowPixel = (phase.originY() + j * phase.stepY()) * outW + phase.originX();
                for (int at = col; at < col + cols; at += STRETCH) {
                    int count = Math.min(STRETCH, col + cols - at);
                    int pixel = rowPixel + at * phase.stepX();
                    for (int panel = firstPanel; panel < endPanel; panel++) {
                        for (int i = 0; i < count; i += HEIGHT) {
                            multiply(
                                    kind & TileKernel.PLANAR,
                                    part.staged.base(j - row, at + i - col),
                                    part.weights.length / panels * panel,
                                    panel,
                                    0,
                                    sums,
                                    i * V,
                                    V,
                                    STRETCH * V);
                        }
                        for (int c = 0;
                                c < 2 * V && 2 * V * panel + c < spec.shape().outC();
                                c += V) {
                            images.narrow(
                                    sums, c * STRETCH, V, 2 * V * panel + c, pixel, phase.stepX(), count, scratch);
                        }
                    }
                    images.finish(firstChannel, channels, pixel, phase.stepX(), count);
                }
            }
        }

        void run(int row, int col, int rows, int cols, int firstPanel, int endPanel) {
            if (images != null) {
                runToBytes(row, col, rows, cols, firstPanel, endPanel);
                return;
            }
            int panelBytes = part.weights.length / panels * Float.BYTES;
            boolean panelsOutside = panelBytes * (endPanel - firstPanel) > keptWeights();
            for (int outer = panelsOutside ? firstPanel : 0; outer < (panelsOutside ? endPanel : 1); outer++) {
                int from = panelsOutside ? outer : firstPanel;
                int to = panelsOutside ? outer + 1 : endPanel;
                for (int j = row; j < row + rows; j++) {
                    for (int i = col; i < col + cols; i += HEIGHT) {
                        for (int panel = from; panel < to; panel++) {
                            tile(j, i, Math.min(HEIGHT, col + cols - i), row, col, panel);
                        }
                    }
                }
            }
        }

        private void tile(int j, int i, int pixels, int row, int col, int panel) {
            ConvPhase phase = part.phase;
            // The last tile of a row that is read in place moves back to stay inside the image.
            int first = pixels == HEIGHT || part.staged != null ? i : Math.max(0, i + pixels - HEIGHT);
            int base = part.staged == null ? inOffset + first * V : part.staged.base(j - row, first - col);
            int w = part.weights.length / panels * panel;
            if (blockedOut && pixels == HEIGHT && phase.stepX() == 1) {
                int vectorStep = (2 * panel + 1) * V < spec.shape().outC() ? outH * outW * V : 0;
                int place =
                        (2 * panel * outH * outW + (phase.originY() + j * phase.stepY()) * outW + phase.originX() + i)
                                * V;
                multiply(
                        residual == null ? kind : kind + TileKernel.ADDING,
                        base,
                        w,
                        panel,
                        residualOffset + place,
                        out,
                        outOffset + place,
                        V,
                        vectorStep);
                if ((kind & TileKernel.POSITIVE) == 0) {
                    Lanes.activate(out, outOffset + place, HEIGHT * V, spec.activation());
                    if (vectorStep != 0) {
                        Lanes.activate(out, outOffset + place + vectorStep, HEIGHT * V, spec.activation());
                    }
                }
                return;
            }
            multiply(kind & TileKernel.PLANAR, base, w, panel, 0, tile, 0, 2 * V, V);
            write(j, i, i - first, pixels, panel);
        }

        private void multiply(
                int kindOfTile,
                int base,
                int w,
                int panel,
                int residualAt,
                float[] target,
                int targetAt,
                int pixelStep,
                int vectorStep) {
            if (WarmUp.isDenseReady(kindOfTile)) {
                TileKernel.run(
                        kindOfTile,
                        in,
                        base,
                        part.taps,
                        part.weights,
                        w,
                        bias,
                        2 * panel * V,
                        residual,
                        residualAt,
                        target,
                        targetAt,
                        pixelStep,
                        vectorStep,
                        min,
                        max);
            } else {
                PlainTiles.dense(
                        kindOfTile,
                        in,
                        base,
                        part.taps,
                        part.weights,
                        w,
                        bias,
                        2 * panel * V,
                        residual,
                        residualAt,
                        target,
                        targetAt,
                        pixelStep,
                        vectorStep,
                        min,
                        max,
                        scratch.sums);
            }
        }

        /** Copies pixels of the scratch tile to their places. */
        private void write(int j, int i, int skipped, int pixels, int panel) {
            ConvPhase phase = part.phase;
            int channels = Math.min(2 * V, spec.shape().outC() - 2 * V * panel);
            int pixel = (phase.originY() + j * phase.stepY()) * outW + phase.originX() + i * phase.stepX();
            for (int c = 0; c < channels; c++) {
                int channel = 2 * V * panel + c;
                int place = channel / outBlock * outBlock * outH * outW + pixel * outBlock + channel % outBlock;
                for (int p = 0; p < pixels; p++) {
                    int at = place + p * phase.stepX() * outBlock;
                    float value = tile[(skipped + p) * 2 * V + c];
                    out[outOffset + at] =
                            spec.activation().apply(residual == null ? value : value + residual[residualOffset + at]);
                }
            }
        }
    }
}
