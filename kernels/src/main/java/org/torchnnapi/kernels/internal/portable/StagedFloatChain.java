package org.torchnnapi.kernels.internal.portable;

import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.torchnnapi.kernels.internal.FloatChainSpec;
import org.torchnnapi.kernels.internal.FloatConvKernel;
import org.torchnnapi.kernels.internal.FloatConvSpec;
import org.torchnnapi.kernels.internal.FloatKernels;
import org.torchnnapi.tensor.platform.Streams;

/** The stages one after the other over whole images, by the convolutions of a provider; one unit. */
public final class StagedFloatChain extends StagedChainBase<float[]> implements FloatConvKernel {
    /** One thread's images between stages; they grow to the largest plan the thread has run and are kept. */
    private static final ThreadLocal<float[][]> BETWEEN = ThreadLocal.withInitial(() -> new float[][] {{}, {}});

    private final List<FloatConvKernel> stages;

    public StagedFloatChain(FloatChainSpec spec, FloatKernels provider) {
        super(stages(spec)
                .mapToInt(stage -> outSize(stage.shape(), stage.out()))
                .toArray());
        stages = stages(spec).map(provider::conv).collect(Streams.toList());
    }

    private static Stream<FloatConvSpec> stages(FloatChainSpec spec) {
        return Stream.of(spec.expand(), spec.depthwise(), spec.project()).filter(Objects::nonNull);
    }

    @Override
    float[] between(int which, int size) {
        float[][] between = BETWEEN.get();
        if (between[which].length < size) {
            between[which] = new float[size];
        }
        return between[which];
    }

    @Override
    void stage(int index, float[] in, int inOffset, float[] out) {
        FloatConvKernel stage = stages.get(index);
        stage.run(in, inOffset, null, 0, out, 0, 0, stage.units());
    }

    @Override
    void lastStage(float[] in, int inOffset, float[] residual, int residualOffset, float[] out, int outOffset) {
        FloatConvKernel stage = stages.get(stages.size() - 1);
        stage.run(in, inOffset, residual, residualOffset, out, outOffset, 0, stage.units());
    }
}
