package org.torchnnapi.kernels.internal.portable;

import java.util.ArrayList;
import java.util.List;
import org.torchnnapi.kernels.ByteEpilogue;
import org.torchnnapi.kernels.ByteTable;
import org.torchnnapi.kernels.internal.QuantizedChainKernel;
import org.torchnnapi.kernels.internal.QuantizedChainSpec;
import org.torchnnapi.kernels.internal.QuantizedConvKernel;
import org.torchnnapi.kernels.internal.QuantizedConvSpec;
import org.torchnnapi.kernels.internal.QuantizedKernels;
import org.torchnnapi.tensor.platform.Streams;

/** The stages one after the other over whole images, by the convolutions of a provider; one unit. */
public final class StagedChain extends StagedChainBase<byte[]> implements QuantizedChainKernel {
    /** One thread's images between stages; they grow to the largest plan the thread has run and are kept. */
    private static final ThreadLocal<byte[][]> BETWEEN = ThreadLocal.withInitial(() -> new byte[][] {{}, {}});

    private final List<QuantizedConvKernel> stages;
    /** By stage what becomes of its output; null for nothing more. */
    private final List<ByteEpilogue> after = new ArrayList<>();

    public StagedChain(QuantizedChainSpec spec, QuantizedKernels provider) {
        super(spec.stages().stream()
                .mapToInt(stage -> outSize(stage.shape(), stage.out()))
                .toArray());
        stages = spec.stages().stream().map(provider::conv).collect(Streams.toList());
        for (QuantizedConvSpec stage : spec.stages()) {
            byte[] table = stage.requantization().table();
            after.add(table == null ? null : new ByteTable(table));
        }
        after.set(stages.size() - 1, spec.after());
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
        run(index, in, inOffset, null, 0, out, 0);
    }

    @Override
    void lastStage(byte[] in, int inOffset, byte[] residual, int residualOffset, byte[] out, int outOffset) {
        run(stages.size() - 1, in, inOffset, residual, residualOffset, out, outOffset);
    }

    private void run(
            int index, byte[] in, int inOffset, byte[] residual, int residualOffset, byte[] out, int outOffset) {
        QuantizedConvKernel stage = stages.get(index);
        if (after.get(index) == null) {
            stage.run(in, inOffset, out, outOffset, 0, stage.units());
        } else {
            stage.runFinishing(
                    in, inOffset, residual, residualOffset, after.get(index), out, outOffset, 0, stage.units());
        }
    }
}
