package org.torchnnapi.kernels.internal.natives;

import java.util.ArrayList;
import java.util.List;
import org.torchnnapi.kernels.ConvShape;
import org.torchnnapi.kernels.Requantization;
import org.torchnnapi.kernels.internal.QuantizedChainKernel;
import org.torchnnapi.kernels.internal.QuantizedChainSpec;
import org.torchnnapi.kernels.internal.QuantizedConvSpec;

/**
 * A chain a few output rows at a time: the wide rows that these need are added to a ring of rows, the depthwise
 * convolution goes from there to a buffer, and the last stage from that to the output. A unit is an output row; units
 * that a thread does one after the other share the ring.
 */
final class NativeChain implements QuantizedChainKernel {
    /** Output pixels of a step: four tiles of the widest instruction set. */
    private static final int STEP_PIXELS = 56;
    /** Kernels may read vectors past the last channel. */
    private static final int SLACK = 64;

    private final ConvShape middle;
    private final NativeDense expand;
    /** Tables of what lies between; null for none. */
    private final byte[] widened;

    private final byte[] convolved;
    private final NativeDepthwise depthwise;
    private final ChainEnd last;
    private final int stepRows;
    private final int ring;

    NativeChain(QuantizedChainSpec spec) {
        List<QuantizedConvSpec> stages = unsignedBetween(spec.stages());
        int at = isDepthwise(stages.get(0)) ? 0 : 1;
        middle = stages.get(at).shape();
        int outH = middle.outH();
        stepRows = Math.min(outH, (STEP_PIXELS + middle.outW() - 1) / middle.outW());
        int reach = (middle.kernelH() - 1) * middle.dilationH() + 1;
        ring = at == 0 ? middle.inH() : Math.min(middle.inH(), (stepRows - 1) * middle.strideH() + reach);
        expand = at == 0 ? null : new NativeDense(stages.get(0));
        widened = at == 0 ? null : stages.get(0).requantization().table();
        convolved =
                at + 1 == stages.size() ? null : stages.get(at).requantization().table();
        depthwise = new NativeDepthwise(stages.get(at), ring, at == 0 ? 0 : SLACK);
        NativeDense project = at + 1 < stages.size() ? new NativeDense(stages.get(at + 1)) : null;
        last = new ChainEnd(
                project, spec.after(), stages.get(stages.size() - 1).shape().outC());
    }

    /** Bytes between stages that are read as signed must have been limited as such: they are then made unsigned. */
    static boolean covers(QuantizedChainSpec spec) {
        List<QuantizedConvSpec> stages = spec.stages();
        for (int i = 1; i < stages.size(); i++) {
            if (stages.get(i).signedInput()
                    && stages.get(i - 1).requantization().table() == null
                    && stages.get(i - 1).requantization().max() > Byte.MAX_VALUE) {
                return false;
            }
        }
        return true;
    }

    private static boolean isDepthwise(QuantizedConvSpec stage) {
        return NativeDepthwise.covers(stage.shape());
    }

    /** Dot products take unsigned bytes, so the images between are those, 128 higher where they were signed. */
    static List<QuantizedConvSpec> unsignedBetween(List<QuantizedConvSpec> stages) {
        List<QuantizedConvSpec> result = new ArrayList<>();
        for (int i = 0; i < stages.size(); i++) {
            QuantizedConvSpec stage = stages.get(i);
            boolean raisesInput = i > 0 && stage.signedInput();
            boolean raisesOutput = i + 1 < stages.size() && stages.get(i + 1).signedInput();
            Requantization rule = raisesOutput ? stage.requantization().raised(128) : stage.requantization();
            result.add(new QuantizedConvSpec(
                    stage.shape(),
                    stage.in(),
                    stage.out(),
                    !raisesInput && stage.signedInput(),
                    stage.inputZeroPoint() + (raisesInput ? 128 : 0),
                    stage.weights(),
                    stage.bias(),
                    rule));
        }
        return result;
    }

    @Override
    public int units() {
        return middle.outH();
    }

    @Override
    public void run(
            byte[] in,
            int inOffset,
            byte[] residual,
            int residualOffset,
            byte[] out,
            int outOffset,
            int begin,
            int end) {
        rows(in, inOffset, residual, residualOffset, out, outOffset, begin, end, 0);
    }

    @Override
    public void resume(
            byte[] in,
            int inOffset,
            byte[] residual,
            int residualOffset,
            byte[] out,
            int outOffset,
            int begin,
            int end) {
        rows(in, inOffset, residual, residualOffset, out, outOffset, begin, end, rowsUnder(begin));
    }

    /** @param expanded the row after those that the ring has already; 0 if it has none */
    private void rows(
            byte[] in,
            int inOffset,
            byte[] residual,
            int residualOffset,
            byte[] out,
            int outOffset,
            int begin,
            int end,
            int expanded) {
        long wideRow = (long) middle.inW() * middle.inC();
        long middleRow = (long) middle.outW() * middle.outC();
        long ringSize = expand == null ? 0 : (ring * wideRow + SLACK + 63) / 64 * 64;
        NativeMemory between = ByteScratch.get().between(ringSize + stepRows * middleRow + SLACK);
        Object wide = expand == null ? in : between;
        long wideOffset = expand == null ? inOffset : 0;
        // Behind the ring.
        long rows = ringSize;
        for (int y = begin; y < end; y += stepRows) {
            int yEnd = Math.min(end, y + stepRows);
            if (expand != null) {
                expanded = expandTo(
                        in, inOffset, wide, wideRow, Math.max(expanded, y * middle.strideH() - middle.padTop()), yEnd);
            }
            for (int row = y; row < yEnd; row++) {
                if (last.project() == null) {
                    depthwise.row(wide, wideOffset, out, outOffset + row * middleRow, row);
                } else {
                    depthwise.row(wide, wideOffset, between, rows + (row - y) * middleRow, row);
                }
            }
            lookUp(convolved, between, rows, (yEnd - y) * middleRow);
            last.pixels(
                    between,
                    rows - y * middleRow,
                    residual,
                    residualOffset,
                    out,
                    outOffset,
                    y * middle.outW(),
                    yEnd * middle.outW());
        }
    }

    /** In place; a table that is null changes nothing. */
    static void lookUp(byte[] table, Object bytes, long offset, long count) {
        if (table != null) {
            NativeByteKernels.lookUpRows(bytes, offset, table, bytes, offset, Math.toIntExact(count), 1, 0);
        }
    }

    /** The row after those that output rows before {@code yEnd} need. */
    private int rowsUnder(int yEnd) {
        int reach = (middle.kernelH() - 1) * middle.dilationH() + 1;
        return Math.min(middle.inH(), (yEnd - 1) * middle.strideH() - middle.padTop() + reach);
    }

    /**
     * Adds to the ring, from row {@code from}, the rows that output rows before {@code yEnd} need; returns the row
     * after them.
     */
    private int expandTo(byte[] in, long inOffset, Object wide, long wideRow, int from, int yEnd) {
        int needed = rowsUnder(yEnd);
        int row = Math.max(from, 0);
        while (row < needed) {
            int slot = row % ring;
            int next = Math.min(needed, row + ring - slot);
            expand.pixels(in, inOffset, wide, (slot - row) * wideRow, row * middle.inW(), next * middle.inW());
            lookUp(widened, wide, slot * wideRow, (next - row) * wideRow);
            row = next;
        }
        return Math.max(row, from);
    }
}
