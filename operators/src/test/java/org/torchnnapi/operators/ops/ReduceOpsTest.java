package org.torchnnapi.operators.ops;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.torchnnapi.operators.ops.Op.expect;
import static org.torchnnapi.operators.ops.Op.floats;
import static org.torchnnapi.operators.ops.Op.ints;
import static org.torchnnapi.operators.ops.Op.longs;
import static org.torchnnapi.operators.ops.Op.sizes;
import static org.torchnnapi.operators.ops.Op.tensor;
import static org.torchnnapi.operators.ops.Op.vector;

import org.junit.jupiter.api.Test;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;

/** Expected values are genuine PyTorch's. */
class ReduceOpsTest {
    private static final Tensor Y = floats(sizes(2, 3), 3, 1, 2, 5, 0, -1);

    @Test
    void sumsMeansAndProducts() {
        expect(tensor("sum", Y), sizes(), 10);
        expect(tensor("sum.dim_IntList", Y, ints(-1), true), sizes(2, 1), 6, 4);
        expect(tensor("mean.dim", Y, ints(0), false), sizes(3), 4, 0.5, 0.5);
        expect(tensor("prod.dim_int", Y, 1L, false), sizes(2), 6, 0);
        expect(tensor("logsumexp", Y, ints(1), false), sizes(2), 3.4076061248779297, 5.009174346923828);
        assertEquals(DType.INT64, tensor("sum", Tensor.of(new int[] {1, 2}, 2)).dtype());
        assertThrows(IllegalArgumentException.class, () -> tensor("mean", longs(1)));
        assertThrows(IllegalArgumentException.class, () -> tensor("sum.dim_IntList", Y, ints(0, 0), false));
    }

    /**
     * Sums whose roundings hang on the order in memory: along the middle, over what does not lie together, and in
     * another order of dimensions.
     */
    @Test
    void roundsAsTheElementsLie() {
        float[] series = new float[3000];
        for (int i = 0; i < series.length; i++) {
            series[i] = (float) ((long) i * 7919 % 1009) / 1009 - 0.25f;
        }
        Tensor t = Tensor.of(series, 3, 50, 20);
        Tensor middle = tensor("sum.dim_IntList", t, ints(1), false);
        assertEquals(10.9073334f, (float) middle.getDouble(40));
        assertEquals(13.8538151f, (float) middle.getDouble(59));
        assertEquals(14.7145691f, (float)
                tensor("sum.dim_IntList", t, ints(0, 2), false).getDouble(7));
        assertEquals(248.893951f, (float)
                tensor("sum.dim_IntList", t.permute(2, 0, 1), ints(0, 2), false).getDouble(1));
    }

    @Test
    void testsAndCounts() {
        expect(tensor("any", Y), sizes(), 1);
        expect(tensor("all.dim", Y, 1L, false), sizes(2), 1, 0);
        expect(tensor("count_nonzero", Y), sizes(), 5);
        expect(tensor("nansum", vector(1, Double.NaN, 2), null, false), sizes(), 3);
    }

    @Test
    void meansOfNumbersAndTraces() {
        expect(
                tensor("nanmean", floats(sizes(2, 4), 1, Double.NaN, 3, 8, 4, 2, 9, Double.NaN), ints(1)),
                sizes(2),
                4,
                5);
        expect(tensor("trace", floats(sizes(2, 3), 1, 4, 2, 3, -1, 5)), sizes(), 0);
        assertThrows(IllegalArgumentException.class, () -> tensor("trace", floats(sizes(1), 1)));
    }
}
