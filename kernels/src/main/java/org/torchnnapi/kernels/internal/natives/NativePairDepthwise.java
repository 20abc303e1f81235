package org.torchnnapi.kernels.internal.natives;

import org.torchnnapi.kernels.ByteEpilogue;
import org.torchnnapi.kernels.ConvShape;
import org.torchnnapi.kernels.internal.QuantizedConvKernel;
import org.torchnnapi.kernels.internal.QuantizedConvSpec;

/**
 * A depthwise convolution on its own over pairs of rows, of images whose channels are whole groups; a unit is a step of
 * {@link DepthwiseDotProduct}.
 */
final class NativePairDepthwise implements QuantizedConvKernel {
    private final ConvShape shape;
    private final DepthwiseDotProduct pairs;
    private final long sharedBytes;

    NativePairDepthwise(QuantizedConvSpec spec) {
        shape = spec.shape();
        pairs = new DepthwiseDotProduct(spec, null);
        sharedBytes = pairs.sharedBytes();
    }

    @Override
    public int units() {
        return pairs.steps();
    }

    @Override
    public void run(byte[] in, int inOffset, byte[] out, int outOffset, int begin, int end) {
        pairs.run(begin, end, true, in, inOffset, ByteScratch.get().work(sharedBytes), out, outOffset);
    }

    @Override
    public void runFinishing(
            byte[] in,
            int inOffset,
            byte[] residual,
            int residualOffset,
            ByteEpilogue after,
            byte[] out,
            int outOffset,
            int begin,
            int end) {
        run(in, inOffset, out, outOffset, begin, end);
        int rowBytes = shape.outW() * shape.outC();
        int first = Math.max(pairs.firstRow(begin), 0);
        int last = Math.min(pairs.firstRow(end), shape.outH());
        int at = first * rowBytes;
        after.finish(residual, residualOffset + at, out, outOffset + at, (last - first) * rowBytes);
    }
}
