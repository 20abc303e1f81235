package org.torchnnapi.program.op;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.torchnnapi.kernels.ReductionKernel;
import org.torchnnapi.program.ValueType;

class ReduceOpTest {
    private static final int[] SHAPE = {2, 5, 3, 19};

    @ParameterizedTest
    @EnumSource(ReductionKernel.class)
    void overAdjacentAxes(ReductionKernel reduction) {
        Random random = new Random(8);
        ValueType type = ValueType.floats(SHAPE);
        float[] in = (float[]) Ops.random(random, type);
        for (int[] axes : new int[][] {{0}, {1}, {2}, {3}, {-1}, {2, 3}, {1, 2}, {0, 1, 2, 3}}) {
            int[] kept = SHAPE.clone();
            for (int axis : axes) {
                kept[axis < 0 ? axis + 4 : axis] = 1;
            }
            ReduceOp keeping = new ReduceOp(reduction, axes, true);
            assertArrayEquals(kept, keeping.result(List.of(type)).shape());
            double[] expected = plain(reduction, in, kept);
            for (ReduceOp reduce : new ReduceOp[] {keeping, new ReduceOp(reduction, axes, false)}) {
                float[] actual = (float[]) Ops.run(reduce, List.of(type), in);
                assertEquals(expected.length, actual.length);
                for (int i = 0; i < actual.length; i++) {
                    assertEquals(
                            expected[i],
                            actual[i],
                            1e-5 * (1 + Math.abs(expected[i])),
                            Arrays.toString(axes) + " element " + i);
                }
            }
        }
    }

    private static double[] plain(ReductionKernel reduction, float[] in, int[] kept) {
        int count = kept[0] * kept[1] * kept[2] * kept[3];
        double[] out = new double[count];
        Arrays.fill(
                out,
                switch (reduction) {
                    case SUM, MEAN -> 0;
                    case PROD -> 1;
                    case MAX -> Double.NEGATIVE_INFINITY;
                    case MIN -> Double.POSITIVE_INFINITY;
                });
        for (int i = 0; i < in.length; i++) {
            int at = Places.index(Places.of(i, SHAPE), kept);
            out[at] = switch (reduction) {
                case SUM -> out[at] + in[i];
                case MEAN -> out[at] + (double) in[i] * count / in.length;
                case PROD -> out[at] * in[i];
                case MAX -> Math.max(out[at], in[i]);
                case MIN -> Math.min(out[at], in[i]);
            };
        }
        return out;
    }
}
