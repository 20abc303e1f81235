package org.torchnnapi.kernels.internal.vector;

import static org.torchnnapi.kernels.internal.vector.Lanes.V;

import java.util.Arrays;
import org.torchnnapi.kernels.ConvShape;
import org.torchnnapi.kernels.ImageLayout;
import org.torchnnapi.kernels.internal.ConvPhase;

/**
 * The input of a band of output rows, copied with its padding to {@code [channel block][row][column phase][column][V]},
 * or planar to {@code [channel][row][column phase][column]}. Columns are dealt out to as many phases as the stride, so
 * that the inputs of adjacent output pixels under one tap are adjacent whatever the stride. Columns past the band,
 * which a tile may read, hold earlier values or zeros.
 */
final class StagedInput {
    private final ConvPhase phase;
    private final int inC;
    private final int inH;
    private final int inW;
    private final ImageLayout layout;
    private final int inBlock;
    /** Floats of a pixel: V, or 1 when planar. */
    private final int lanes;

    private final int minDy;
    private final int minDx;
    private final int rows;
    private final int cols;
    private final int plane;
    private final int reachY;

    StagedInput(
            ConvShape shape,
            ImageLayout layout,
            ConvPhase phase,
            boolean flat,
            boolean planar,
            int bandRows,
            int bandCols) {
        this.phase = phase;
        this.layout = layout;
        inC = shape.inC();
        inH = flat ? 1 : shape.inH();
        inW = flat ? shape.inH() * shape.inW() : shape.inW();
        inBlock = layout.block(inC);
        lanes = planar ? 1 : V;
        minDy = Arrays.stream(phase.dy()).min().orElse(0);
        minDx = Arrays.stream(phase.dx()).min().orElse(0);
        reachY = Arrays.stream(phase.dy()).max().orElse(0) - minDy + 1;
        int reachX = Arrays.stream(phase.dx()).max().orElse(0) - minDx + 1;
        rows = (bandRows - 1) * phase.inStepY() + reachY;
        cols = ((bandCols - 1) * phase.inStepX() + reachX + phase.inStepX() - 1) / phase.inStepX() + TileKernel.HEIGHT;
        plane = Math.multiplyExact(Math.multiplyExact(rows * phase.inStepX(), cols), lanes);
    }

    /** Floats of the scratch image. */
    int size() {
        return Math.multiplyExact((inC + lanes - 1) / lanes, plane);
    }

    /** Where the tile kernels find each tap of each channel block, from {@link #base}. */
    int[] tapOffsets() {
        int blocks = (inC + lanes - 1) / lanes;
        int taps = phase.taps().length;
        int[] offsets = new int[blocks * taps];
        for (int b = 0; b < blocks; b++) {
            for (int t = 0; t < taps; t++) {
                int x = phase.dx()[t] - minDx;
                int row = (phase.dy()[t] - minDy) * phase.inStepX() + x % phase.inStepX();
                offsets[b * taps + t] = b * plane + (row * cols + x / phase.inStepX()) * lanes;
            }
        }
        return offsets;
    }

    /** Where output pixel (row, col) of the band begins. */
    int base(int row, int col) {
        return (row * phase.inStepY() * phase.inStepX() * cols + col) * lanes;
    }

    /**
     * Copies what {@code outRows x outCols} output pixels from (outRow, outCol) need.
     *
     * @param images take the place of the float input where they are given
     */
    void copy(
            float[] in,
            int inOffset,
            ByteImages images,
            float[] scratch,
            int outRow,
            int outCol,
            int outRows,
            int outCols) {
        int firstY = outRow * phase.inStepY() + minDy;
        int firstX = outCol * phase.inStepX() + minDx;
        int step = phase.inStepX();
        int used = (outRows - 1) * phase.inStepY() + reachY;
        for (int channel = 0; channel < inC; channel += lanes) {
            int target = channel / lanes * plane;
            for (int r = 0; r < used; r++) {
                int y = firstY + r;
                for (int p = 0; p < step; p++, target += cols * lanes) {
                    if (y < 0 || y >= inH) {
                        Arrays.fill(scratch, target, target + cols * lanes, 0f);
                        continue;
                    }
                    int x = firstX + p;
                    int before = x >= 0 ? 0 : Math.min(cols, (-x + step - 1) / step);
                    int end = Math.max(before, Math.min(cols, x >= inW ? 0 : (inW - 1 - x) / step + 1));
                    Arrays.fill(scratch, target, target + before * lanes, 0f);
                    int pixel = y * inW + x + before * step;
                    if (images != null) {
                        images.widen(channel, pixel, step, lanes, scratch, target + before * lanes, end - before);
                    } else if (before < end) {
                        // Otherwise the place may lie outside the image as well.
                        copyRow(in, inOffset, channel, pixel, step, scratch, target + before * lanes, end - before);
                    }
                    Arrays.fill(scratch, target + end * lanes, target + cols * lanes, 0f);
                }
            }
        }
    }

    /** Copies the channels of one block for {@code count} pixels, {@code step} apart. */
    private void copyRow(
            float[] in, int inOffset, int channel, int pixel, int step, float[] scratch, int target, int count) {
        int source = inOffset + channel / inBlock * inBlock * inH * inW + pixel * inBlock + channel % inBlock;
        if (lanes == 1 || layout == ImageLayout.NCHW) {
            transposeRow(in, source, channel, step, scratch, target, count);
            return;
        }
        int present = Math.min(lanes, layout == ImageLayout.BLOCKED ? lanes : inC - channel);
        if (step == 1 && inBlock == lanes) {
            System.arraycopy(in, source, scratch, target, count * lanes);
            return;
        }
        for (int i = 0; i < count; i++) {
            System.arraycopy(in, source + i * step * inBlock, scratch, target + i * lanes, present);
            Arrays.fill(scratch, target + i * lanes + present, target + (i + 1) * lanes, 0f);
        }
    }

    /** As above where the channels of a pixel are not adjacent, or only one is wanted. */
    private void transposeRow(
            float[] in, int firstSource, int channel, int step, float[] scratch, int target, int count) {
        int present = Math.min(lanes, inC - channel);
        for (int lane = 0; lane < lanes; lane++) {
            if (lane >= present) {
                for (int i = 0; i < count; i++) {
                    scratch[target + i * lanes + lane] = 0;
                }
                continue;
            }
            int source = firstSource + lane * inH * inW;
            int sourceStep = step * inBlock;
            for (int i = 0; i < count; i++) {
                scratch[target + i * lanes + lane] = in[source + i * sourceStep];
            }
        }
    }
}
