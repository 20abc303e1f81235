package org.torchnnapi.kernels.internal.natives;

import java.util.List;
import org.torchnnapi.kernels.ConvShape;
import org.torchnnapi.kernels.internal.QuantizedChainKernel;
import org.torchnnapi.kernels.internal.QuantizedChainSpec;
import org.torchnnapi.kernels.internal.QuantizedConvSpec;

/**
 * A chain about a 3x3 depthwise convolution whose wide rows are kept in pairs, a few output rows at a time. A unit is a
 * step of {@link DepthwiseDotProduct}. The first stage writes pairs, or rows that are then paired where it is quicker
 * so.
 */
final class NativePairChain implements QuantizedChainKernel {
    /** Output pixels that the last stage takes at once, about. */
    private static final int STEP_PIXELS = 112;

    private final ConvShape middle;
    /** Writes rows; null where pairs are written or the depthwise stage is the first. */
    private final NativeDense expand;

    /** Tables of what lies between; null for none. */
    private final byte[] widened;

    private final byte[] convolved;
    private final DepthwiseDotProduct pairs;
    private final ChainEnd last;
    private final int stepsAtOnce;
    private final long sharedBytes;

    NativePairChain(QuantizedChainSpec spec) {
        List<QuantizedConvSpec> stages = NativeChain.unsignedBetween(spec.stages());
        int at = stages.size() - 2;
        middle = stages.get(at).shape();
        NativeDense widening = at == 0 ? null : new NativeDense(stages.get(0));
        widened = at == 0 ? null : stages.get(0).requantization().table();
        convolved = stages.get(at).requantization().table();
        expand = widening != null && (widened != null || widening.tilesPay()) ? widening : null;
        pairs = new DepthwiseDotProduct(stages.get(at), expand != null ? null : widening);
        last = new ChainEnd(
                new NativeDense(pairs.reordered(stages.get(at + 1))),
                spec.after(),
                stages.get(at + 1).shape().outC());
        int stepPixels = pairs.stepRows() * middle.outW();
        stepsAtOnce = Math.max(1, Math.min((STEP_PIXELS + stepPixels - 1) / stepPixels, pairs.steps()));
        sharedBytes = pairs.sharedBytes();
    }

    /**
     * Whether the chain, which {@link NativeChain} covers, has a depthwise stage of the right kind and one behind it.
     */
    static boolean covers(QuantizedChainSpec spec) {
        List<QuantizedConvSpec> stages = NativeChain.unsignedBetween(spec.stages());
        int at = stages.size() - 2;
        if (at < 0 || !NativeDepthwise.covers(stages.get(at).shape())) {
            return false;
        }
        for (QuantizedConvSpec stage : stages.subList(0, at + 1)) {
            if (stage.requantization().min() < 0) {
                return false;
            }
        }
        return !stages.get(0).signedInput()
                && DepthwiseDotProduct.covers(
                        stages.get(at), at == 0 ? null : stages.get(0).shape());
    }

    @Override
    public int units() {
        return pairs.steps();
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
        steps(in, inOffset, residual, residualOffset, out, outOffset, begin, end, false);
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
        steps(in, inOffset, residual, residualOffset, out, outOffset, begin, end, true);
    }

    private void steps(
            byte[] in,
            int inOffset,
            byte[] residual,
            int residualOffset,
            byte[] out,
            int outOffset,
            int begin,
            int end,
            boolean resumed) {
        long rowBytes = pairs.rowBytes();
        long wideRow = (long) middle.inW() * middle.inC();
        long wideAt = sharedBytes + stepsAtOnce * pairs.stepRows() * rowBytes;
        NativeMemory between =
                ByteScratch.get().between(wideAt + (expand == null ? 0 : 2 * (stepsAtOnce + 1) * wideRow));
        for (int step = begin; step < end; step += stepsAtOnce) {
            int next = Math.min(end, step + stepsAtOnce);
            int row = pairs.firstRow(step);
            boolean isFirst = step == begin && !resumed;
            Object wide = in;
            long wideOffset = inOffset;
            if (expand != null) {
                int from = Math.max(pairs.firstInput(step, isFirst), 0);
                int to = Math.min(pairs.firstInput(next, false), middle.inH());
                wide = between;
                wideOffset = wideAt - from * wideRow;
                if (from < to) {
                    expand.pixels(in, inOffset, wide, wideOffset, from * middle.inW(), to * middle.inW());
                    NativeChain.lookUp(widened, wide, wideAt, (to - from) * wideRow);
                }
            }
            pairs.run(step, next, isFirst, wide, wideOffset, between, between, sharedBytes - row * rowBytes);
            int y = Math.max(row, 0);
            int yEnd = Math.min(pairs.firstRow(next), middle.outH());
            NativeChain.lookUp(convolved, between, sharedBytes + (y - row) * rowBytes, (yEnd - y) * rowBytes);
            last.pixels(
                    between,
                    sharedBytes - row * rowBytes,
                    residual,
                    residualOffset,
                    out,
                    outOffset,
                    y * middle.outW(),
                    yEnd * middle.outW());
        }
    }
}
