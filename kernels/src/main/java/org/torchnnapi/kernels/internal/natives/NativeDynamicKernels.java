package org.torchnnapi.kernels.internal.natives;

import java.util.Arrays;
import org.torchnnapi.kernels.FloatRecurrent.Cell;
import org.torchnnapi.kernels.QuantizedWeights;
import org.torchnnapi.kernels.internal.DynamicKernels;
import org.torchnnapi.kernels.internal.DynamicProductKernel;
import org.torchnnapi.kernels.internal.DynamicSpec;

/** Dynamically quantized layers in C, see dynamic.c. */
public final class NativeDynamicKernels implements DynamicKernels {
    @Override
    public void range(float[] in, int inOffset, int count, float[] out, int outOffset) {
        DynamicCalls.range(in, inOffset, out, outOffset, count);
    }

    @Override
    public DynamicProductKernel product(DynamicSpec spec) {
        return new Product(spec);
    }

    private static final class Product implements DynamicProductKernel {
        private final int units;
        private final NativeMemory struct;

        Product(DynamicSpec spec) {
            int outputs = spec.outputs();
            int quads = (spec.inputs() + 3) / 4;
            units = WeightPanels.count(outputs);
            int padded = units * WeightPanels.PANEL;
            WeightPanels weights = new WeightPanels(
                    new QuantizedWeights(spec.weights(), true, new int[1]),
                    outputs,
                    spec.inputs(),
                    new int[1],
                    1,
                    quads,
                    spec.inputs(),
                    1);
            NativeMemory scales = new NativeMemory((long) padded * Float.BYTES);
            scales.bytes().asFloatBuffer().put(spec.scales());
            struct = new DynamicStruct()
                    .weights(weights.memory())
                    .columnSums(NativeMemory.copyOf(weights.sums()))
                    .scales(scales)
                    .bias(NativeMemory.copyOf(Arrays.copyOf(spec.bias(), padded)))
                    .outputs(outputs)
                    .quads(quads)
                    .row(4 * quads)
                    .relu(spec.relu())
                    .memory();
        }

        @Override
        public int units() {
            return units;
        }

        @Override
        public void run(
                byte[] in,
                int inOffset,
                int rows,
                double scale,
                int zeroPoint,
                float[] out,
                int outOffset,
                int begin,
                int end) {
            DynamicCalls.dynamicProduct(
                    struct, in, inOffset, out, outOffset, begin, end, rows, zeroPoint, (float) scale);
        }
    }

    @Override
    public void gates(
            Cell cell,
            int units,
            float[] ofInput,
            int inputOffset,
            float[] ofHidden,
            int hiddenOffset,
            float[] states,
            int stateOffset,
            int cellOffset) {
        DynamicCalls.gates(ofInput, inputOffset, ofHidden, hiddenOffset, states, cell, units, stateOffset, cellOffset);
    }
}
