package org.torchnnapi.kernels.internal.natives;

import java.util.Arrays;
import org.torchnnapi.kernels.FloatRecurrent.Cell;
import org.torchnnapi.kernels.QuantizedWeights;
import org.torchnnapi.kernels.internal.DynamicKernels;
import org.torchnnapi.kernels.internal.DynamicProductKernel;
import org.torchnnapi.kernels.internal.DynamicSpec;

/** Dynamically quantized layers in C, see dynamic.c. */
public final class NativeDynamicKernels implements DynamicKernels {
    private static final NativeCall RANGE = NativeCall.of("range");
    private static final NativeCall PRODUCT = NativeCall.of("dynamic_product");
    private static final NativeCall GATES = NativeCall.of("gates");
    private static final int STRUCT_SIZE = 48;

    @Override
    public void range(float[] in, int inOffset, int count, float[] out, int outOffset) {
        RANGE.run(null, in, inOffset, null, 0, out, outOffset, 0, count, 0, 0, 0, 0, 0, 0);
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
            struct = new NativeStruct(STRUCT_SIZE)
                    .pointers(
                            weights.memory(),
                            NativeMemory.copyOf(weights.sums()),
                            scales,
                            NativeMemory.copyOf(Arrays.copyOf(spec.bias(), padded)))
                    .ints(outputs, quads, 4 * quads, spec.relu() ? 1 : 0)
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
            PRODUCT.run(
                    struct,
                    in,
                    inOffset,
                    null,
                    0,
                    out,
                    outOffset,
                    begin,
                    rows,
                    end,
                    zeroPoint,
                    Float.floatToRawIntBits((float) scale),
                    0,
                    0,
                    0);
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
        GATES.run(
                null,
                ofInput,
                inputOffset,
                ofHidden,
                hiddenOffset,
                states,
                stateOffset,
                cell.ordinal(),
                units,
                0,
                0,
                cellOffset,
                0,
                0,
                0);
    }
}
