package org.torchnnapi.kernels.internal.natives;

import java.util.List;
import org.torchnnapi.kernels.ByteEpilogue;
import org.torchnnapi.kernels.ConvShape;
import org.torchnnapi.kernels.Machine;
import org.torchnnapi.kernels.internal.QuantizedChainKernel;
import org.torchnnapi.kernels.internal.QuantizedChainSpec;
import org.torchnnapi.kernels.internal.QuantizedConvSpec;

/**
 * A pointwise convolution that widens and the 3x3 depthwise one behind it, a few groups of channels at a time over the
 * whole, small image: what lies between stays in the nearest cache. A unit is a group, so that threads exchange
 * nothing, read each their own weights, and need no row twice.
 */
final class NativeGroupChain implements QuantizedChainKernel {
    private static final int GROUP = DepthwiseDotProduct.GROUP;
    private static final int CACHE_LINE = 64;

    private final NativeDense expand;
    /** Of what lies between; null for none. */
    private final byte[] widened;

    private final DepthwiseDotProduct pairs;
    private final ByteEpilogue after;
    private final ConvShape middle;
    private final int atOnce;
    private final long sharedBytes;
    private final long wideBytes;

    NativeGroupChain(QuantizedChainSpec spec) {
        List<QuantizedConvSpec> stages = NativeChain.unsignedBetween(spec.stages());
        middle = stages.get(1).shape();
        after = spec.after();
        widened = stages.get(0).requantization().table();
        int pixels = middle.inH() * middle.inW();
        atOnce = Math.max(1, Math.min(between() / (pixels * GROUP), middle.inC() / GROUP));
        expand = new NativeDense(stages.get(0), atOnce * GROUP);
        pairs = new DepthwiseDotProduct(stages.get(1), null, atOnce * GROUP);
        // Wide pixels then begin with a cache line.
        sharedBytes = (pairs.sharedBytes() + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;
        wideBytes = (long) pixels * atOnce * GROUP;
    }

    /** Whether the chain, which {@link NativeChain} covers, has these two stages. */
    static boolean covers(QuantizedChainSpec spec) {
        if (spec.stages().size() != 2
                || !NativeDepthwise.covers(spec.stages().get(1).shape())) {
            return false;
        }
        List<QuantizedConvSpec> stages = NativeChain.unsignedBetween(spec.stages());
        return fits(stages.get(1).shape())
                && DepthwiseDotProduct.coversAlone(stages.get(1))
                && stages.get(0).requantization().min() >= 0;
    }

    /**
     * Whether these two do better like this than with what is behind them: larger images than the smallest lose by
     * passing another cache.
     */
    static boolean pays(ConvShape depthwise, long weights) {
        return NativeDepthwise.covers(depthwise)
                && DepthwiseDotProduct.covers(depthwise)
                && fits(depthwise)
                && !NativeQuantizedKernels.chainPays(depthwise, weights);
    }

    /** Bytes of the wide image that are between the stages at once: the nearest cache has room for as many again. */
    private static int between() {
        return Machine.current().firstCache() / 2;
    }

    /** Whether an image is small enough, and its channels fill groups that are panels too. */
    private static boolean fits(ConvShape depthwise) {
        return (long) depthwise.inH() * depthwise.inW() * GROUP <= between()
                && depthwise.inC() % GROUP == 0
                && NativeDense.PANEL == GROUP;
    }

    @Override
    public int units() {
        return pairs.groups();
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
        NativeMemory between = ByteScratch.get().between(sharedBytes + wideBytes);
        for (int group = begin; group < end; group += atOnce) {
            int next = Math.min(end, group + atOnce);
            expand.panels(in, inOffset, between, sharedBytes, group, next);
            NativeChain.lookUp(widened, between, sharedBytes, wideBytes);
            pairs.runGroups(group, next, between, sharedBytes - (long) group * GROUP, between, out, outOffset);
            if (after != null) {
                int at = group * GROUP;
                after.finish(
                        residual,
                        residualOffset + at,
                        out,
                        outOffset + at,
                        (next - group) * GROUP,
                        middle.outH() * middle.outW(),
                        middle.outC());
            }
        }
    }
}
