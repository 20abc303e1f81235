package org.torchnnapi.benchmarks.kernels;

import static org.torchnnapi.benchmarks.kernels.RandomArrays.bytes;
import static org.torchnnapi.benchmarks.kernels.RandomArrays.floats;

import java.util.ArrayList;
import java.util.List;
import org.torchnnapi.kernels.DynamicProduct;
import org.torchnnapi.kernels.DynamicQuantization;
import org.torchnnapi.kernels.DynamicRecurrent;
import org.torchnnapi.kernels.FloatRecurrent.Cell;
import org.torchnnapi.kernels.QuantizedWeights;

/** Products of floats that become bytes as they come. */
final class DynamicCases {
    private static final DynamicQuantization PARAMETERS = new DynamicQuantization(0.01, 120);
    private static final int STEPS = 32;

    private DynamicCases() {}

    static DynamicProduct product(int inputs, int outputs) {
        return DynamicProduct.plan(
                inputs,
                outputs,
                new QuantizedWeights(bytes(inputs * outputs), true, new int[] {0}),
                new float[] {0.001f},
                floats(outputs),
                false);
    }

    static List<KernelCase> all() {
        List<KernelCase> cases = new ArrayList<>();
        int count = 128 * 1024;
        cases.add(KernelCase.elements("RANGE_128X1024", count, () -> {
            float[] in = floats(count);
            float[] out = new float[2];
            return () -> DynamicQuantization.range(in, 0, count, out, 0);
        }));
        for (int width : new int[] {1024, 1021}) {
            cases.add(KernelCase.elements("QUANTIZE_ROWS_128X" + width, 128L * width, () -> {
                float[] in = floats(128 * width);
                byte[] out = new byte[128 * DynamicProduct.rowBytes(width)];
                return () -> PARAMETERS.quantize(in, 0, out, 0, 128, width);
            }));
        }
        for (int[] size : new int[][] {{1, 256, 1024}, {1, 1024, 1024}, {16, 1024, 1024}, {128, 768, 768}}) {
            String name = "DYNAMIC_PRODUCT_" + size[0] + "X" + size[1] + "X" + size[2];
            cases.add(new KernelCase(
                    name, KernelCase.Unit.BYTE_MULTIPLY_ADDS, (long) size[0] * size[1] * size[2], () -> {
                        DynamicProduct product = product(size[1], size[2]);
                        byte[] in = bytes(size[0] * size[1]);
                        float[] out = new float[size[0] * size[2]];
                        return () -> product.run(in, 0, size[0], PARAMETERS, out, 0, 0, product.units());
                    }));
        }
        for (Cell cell : Cell.values()) {
            cases.add(new KernelCase(
                    "DYNAMIC_" + cell + "_128_TO_256",
                    KernelCase.Unit.BYTE_MULTIPLY_ADDS,
                    (long) STEPS * cell.gates() * 256 * (128 + 256),
                    () -> layer(cell)));
        }
        return cases;
    }

    private static Runnable layer(Cell cell) {
        DynamicRecurrent layer =
                DynamicRecurrent.of(cell, product(128, cell.gates() * 256), product(256, cell.gates() * 256));
        DynamicRecurrent.Scratch scratch = layer.scratch(STEPS, 1);
        float[] in = floats(STEPS * 128);
        float[] out = new float[STEPS * 256];
        float[] state = floats(256);
        float[] cells = floats(256);
        return () -> layer.run(in, 0, out, 0, STEPS, 1, false, state, 0, cells, 0, scratch);
    }
}
