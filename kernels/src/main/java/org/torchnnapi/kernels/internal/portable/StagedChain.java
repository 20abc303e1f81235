package org.torchnnapi.kernels.internal.portable;

import java.util.List;
import org.torchnnapi.kernels.ConvShape;
import org.torchnnapi.kernels.QuantizedSum;
import org.torchnnapi.kernels.internal.QuantizedChainKernel;
import org.torchnnapi.kernels.internal.QuantizedChainSpec;
import org.torchnnapi.kernels.internal.QuantizedConvKernel;
import org.torchnnapi.kernels.internal.QuantizedConvSpec;
import org.torchnnapi.kernels.internal.QuantizedKernels;

/** The stages one after the other over whole images, by the convolutions of a provider; one unit. */
public final class StagedChain implements QuantizedChainKernel {
    /** One thread's images between stages; they grow to the largest plan the thread has run and are kept. */
    private static final ThreadLocal<byte[][]> BETWEEN = ThreadLocal.withInitial(() -> new byte[][] {{}, {}});

    private final List<QuantizedConvKernel> stages;
    private final int[] outSizes;
    private final QuantizedSum sum;

    public StagedChain(QuantizedChainSpec spec, QuantizedKernels provider) {
        stages = spec.stages().stream().map(provider::conv).toList();
        outSizes = spec.stages().stream().mapToInt(StagedChain::outSize).toArray();
        sum = spec.sum();
    }

    private static int outSize(QuantizedConvSpec stage) {
        ConvShape shape = stage.shape();
        return stage.out().size(shape.outC(), shape.outH(), shape.outW());
    }

    @Override
    public int units() {
        return 1;
    }

    @Override
    public void run(byte[] in, int inOffset, byte[] residual, int residualOffset, byte[] out, int outOffset, int begin, int end) {
        if (begin == end) {
            return;
        }
        byte[][] between = BETWEEN.get();
        byte[] from = in;
        int fromOffset = inOffset;
        int last = stages.size() - 1;
        for (int i = 0; i < last; i++) {
            if (between[i % 2].length < outSizes[i]) {
                between[i % 2] = new byte[outSizes[i]];
            }
            QuantizedConvKernel stage = stages.get(i);
            stage.run(from, fromOffset, between[i % 2], 0, 0, stage.units());
            from = between[i % 2];
            fromOffset = 0;
        }
        QuantizedConvKernel stage = stages.get(last);
        if (sum == null) {
            stage.run(from, fromOffset, out, outOffset, 0, stage.units());
        } else {
            stage.runAdding(from, fromOffset, residual, residualOffset, sum, out, outOffset, 0, stage.units());
        }
    }
}
