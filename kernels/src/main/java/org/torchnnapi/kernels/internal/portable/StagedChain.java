package org.torchnnapi.kernels.internal.portable;

import java.util.List;
import org.torchnnapi.kernels.QuantizedSum;
import org.torchnnapi.kernels.internal.QuantizedChainKernel;
import org.torchnnapi.kernels.internal.QuantizedChainSpec;
import org.torchnnapi.kernels.internal.QuantizedConvKernel;
import org.torchnnapi.kernels.internal.QuantizedKernels;
import org.torchnnapi.tensor.platform.Streams;

/** The stages one after the other over whole images, by the convolutions of a provider; one unit. */
public final class StagedChain extends StagedChainBase<byte[]> implements QuantizedChainKernel {
    /** One thread's images between stages; they grow to the largest plan the thread has run and are kept. */
    private static final ThreadLocal<byte[][]> BETWEEN = ThreadLocal.withInitial(() -> new byte[][] {{}, {}});

    private final List<QuantizedConvKernel> stages;
    private final QuantizedSum sum;

    public StagedChain(QuantizedChainSpec spec, QuantizedKernels provider) {
        super(spec.stages().stream()
                .mapToInt(stage -> outSize(stage.shape(), stage.out()))
                .toArray());
        stages = spec.stages().stream().map(provider::conv).collect(Streams.toList());
        sum = spec.sum();
    }

    @Override
    byte[] between(int which, int size) {
        byte[][] between = BETWEEN.get();
        if (between[which].length < size) {
            between[which] = new byte[size];
        }
        return between[which];
    }

    @Override
    void stage(int index, byte[] in, int inOffset, byte[] out) {
        QuantizedConvKernel stage = stages.get(index);
        stage.run(in, inOffset, out, 0, 0, stage.units());
    }

    @Override
    void lastStage(byte[] in, int inOffset, byte[] residual, int residualOffset, byte[] out, int outOffset) {
        QuantizedConvKernel stage = stages.get(stages.size() - 1);
        if (sum == null) {
            stage.run(in, inOffset, out, outOffset, 0, stage.units());
        } else {
            stage.runAdding(in, inOffset, residual, residualOffset, sum, out, outOffset, 0, stage.units());
        }
    }
}
