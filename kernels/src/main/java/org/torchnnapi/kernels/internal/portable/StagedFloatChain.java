package org.torchnnapi.kernels.internal.portable;

import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.torchnnapi.kernels.ConvShape;
import org.torchnnapi.kernels.internal.FloatChainSpec;
import org.torchnnapi.kernels.internal.FloatConvKernel;
import org.torchnnapi.kernels.internal.FloatConvSpec;
import org.torchnnapi.kernels.internal.FloatKernels;

/** The stages one after the other over whole images, by the convolutions of a provider; one unit. */
public final class StagedFloatChain implements FloatConvKernel {
    /** One thread's images between stages; they grow to the largest plan the thread has run and are kept. */
    private static final ThreadLocal<float[][]> BETWEEN = ThreadLocal.withInitial(() -> new float[][] {{}, {}});

    private final List<FloatConvKernel> stages;
    private final int[] outSizes;

    public StagedFloatChain(FloatChainSpec spec, FloatKernels provider) {
        List<FloatConvSpec> specs = Stream.of(spec.expand(), spec.depthwise(), spec.project()).filter(Objects::nonNull).toList();
        stages = specs.stream().map(provider::conv).toList();
        outSizes = specs.stream().mapToInt(StagedFloatChain::outSize).toArray();
    }

    private static int outSize(FloatConvSpec stage) {
        ConvShape shape = stage.shape();
        return stage.out().size(shape.outC(), shape.outH(), shape.outW());
    }

    @Override
    public int units() {
        return 1;
    }

    @Override
    public void run(float[] in, int inOffset, float[] residual, int residualOffset, float[] out, int outOffset, int begin, int end) {
        if (begin == end) {
            return;
        }
        float[][] between = BETWEEN.get();
        float[] from = in;
        int fromOffset = inOffset;
        int last = stages.size() - 1;
        for (int i = 0; i < last; i++) {
            if (between[i % 2].length < outSizes[i]) {
                between[i % 2] = new float[outSizes[i]];
            }
            FloatConvKernel stage = stages.get(i);
            stage.run(from, fromOffset, null, 0, between[i % 2], 0, 0, stage.units());
            from = between[i % 2];
            fromOffset = 0;
        }
        FloatConvKernel stage = stages.get(last);
        stage.run(from, fromOffset, residual, residualOffset, out, outOffset, 0, stage.units());
    }
}
