package org.torchnnapi.benchmarks.kernels;

import static org.torchnnapi.benchmarks.kernels.RandomArrays.floats;

import java.util.ArrayList;
import java.util.List;
import org.torchnnapi.kernels.GroupNorm;
import org.torchnnapi.kernels.ImageLayout;
import org.torchnnapi.kernels.Kernels;
import org.torchnnapi.kernels.LayerNorm;
import org.torchnnapi.kernels.ReductionKernel;
import org.torchnnapi.kernels.SoftmaxKernel;

/** What depends on all elements of a row, or of a group of channels: reductions, softmax, normalization. */
final class RowCases {
    private static final int ROWS = 32;
    private static final int ROW = 3136;
    private static final int COUNT = ROWS * ROW;
    private static final float EPSILON = 1e-5f;

    private RowCases() {}

    static List<KernelCase> all() {
        List<KernelCase> cases = new ArrayList<>();
        for (ReductionKernel reduction : ReductionKernel.values()) {
            cases.add(KernelCase.elements(reduction + "_32X3136", COUNT, () -> {
                float[] in = floats(COUNT);
                float[] out = new float[ROWS];
                return () -> reduction.run(in, 0, out, 0, ROW, 1, 0, ROWS);
            }));
            cases.add(KernelCase.elements(reduction + "_OF_ROWS_3136X32", COUNT, () -> {
                float[] in = floats(COUNT);
                float[] out = new float[ROWS];
                return () -> reduction.runRows(in, 0, ROWS, out, 0, ROW, ROWS);
            }));
        }
        for (int[] size : new int[][] {{1, 1000}, {197, 197}}) {
            String name = size[0] == 1 ? "_" + size[1] : "_" + size[0] + "X" + size[1];
            int count = size[0] * size[1];
            cases.add(KernelCase.elements("SOFTMAX" + name, count, () -> {
                float[] in = floats(count);
                float[] out = new float[count];
                return () -> SoftmaxKernel.run(in, 0, out, 0, size[1], 1, 1, 0, size[0]);
            }));
            cases.add(KernelCase.elements("LOG_SOFTMAX" + name, count, () -> {
                float[] in = floats(count);
                float[] out = new float[count];
                return () -> SoftmaxKernel.runLog(in, 0, out, 0, size[1], 1, 1, 0, size[0]);
            }));
        }
        cases.add(KernelCase.elements("LAYER_NORM_197X192", 197 * 192, () -> {
            LayerNorm norm = LayerNorm.plan(192, EPSILON, floats(192), floats(192));
            float[] in = floats(197 * 192);
            float[] out = new float[in.length];
            return () -> norm.run(in, 0, out, 0, 0, 197);
        }));
        cases.add(KernelCase.elements("GROUP_NORM_8_OF_64_28", 64 * 28 * 28, () -> {
            ImageLayout layout = GroupNorm.covers(Kernels.preferredFloatLayout(), 64, 8)
                    ? Kernels.preferredFloatLayout()
                    : ImageLayout.NCHW;
            GroupNorm norm = GroupNorm.plan(layout, 64, 8, 28 * 28, EPSILON, floats(64), floats(64));
            float[] in = floats(layout.size(64, 28, 28));
            float[] out = new float[in.length];
            return () -> norm.run(in, 0, out, 0, 0, norm.units());
        }));
        return cases;
    }
}
