package org.torchnnapi.operators.ops;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.torchnnapi.operators.ops.Op.expect;
import static org.torchnnapi.operators.ops.Op.floats;
import static org.torchnnapi.operators.ops.Op.longs;
import static org.torchnnapi.operators.ops.Op.sizes;
import static org.torchnnapi.operators.ops.Op.tensor;

import org.junit.jupiter.api.Test;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;

/** gather and scatter. Expected values are genuine PyTorch's. */
class ScatterGatherTest {
    private static final Tensor X = floats(sizes(2, 3), -2.5, -1, 0, 0.5, 1.5, 3);
    private static final Tensor Y = floats(sizes(2, 3), 1, 2, -3, 0.5, -0.25, 4);
    private static final Tensor I = Tensor.of(new long[] {-7, 2, 3, 4, -5, 6}, 2, 3);
    private static final Tensor G = Tensor.of(new long[] {0, 2, 1, 1}, 2, 2);

    @Test
    void gathers() {
        expect(tensor("gather", X, 1L, G, false), sizes(2, 2), -2.5, 0, 1.5, 1.5);
        expect(tensor("scatter.src", X, 1L, G, Y), sizes(2, 3), 1, -1, 2, 0.5, -0.25, 3);
        expect(tensor("scatter.value", X, 1L, G, 3.0), sizes(2, 3), 3, -1, 3, 0.5, 3, 3);
        expect(
                tensor("scatter_add", X, 1L, Tensor.of(new long[] {0, 0, 2, 1, 1, 1}, 2, 3), Y),
                sizes(2, 3),
                0.5,
                -1,
                -3,
                0.5,
                5.75,
                3);
        expect(
                tensor("scatter_add", I, 1L, Tensor.of(new long[] {0, 0, 2, 1, 1, 1}, 2, 3), I),
                DType.INT64,
                sizes(2, 3),
                -12,
                2,
                6,
                4,
                0,
                6);
        expect(tensor("scatter.reduce", X, 1L, G, Y, "multiply"), sizes(2, 3), -2.5, -1, 0, 0.5, -0.1875, 3);
    }

    @Test
    void refusesPositionsOutside() {
        assertThrows(
                IndexOutOfBoundsException.class, () -> tensor("gather", X, 0L, Tensor.of(new long[] {2}, 1, 1), false));
        assertThrows(
                IllegalArgumentException.class, () -> tensor("gather", X, 0L, Tensor.of(new long[] {0}, 1), false));
    }

    @Test
    void taking() {
        expect(
                tensor(
                        "take_along_dim",
                        floats(sizes(2, 3), 1, 4, 2, 3, -1, 5),
                        Tensor.of(new long[] {2, 0}, 1, 2),
                        1L),
                sizes(2, 2),
                2,
                1,
                5,
                3);
    }

    @Test
    void reductionsOfWhatMeets() {
        Tensor places = Tensor.of(new long[] {0, 0, 2}, 3);
        expect(
                tensor(
                        "scatter_reduce.two",
                        floats(sizes(3), 10, 20, 30),
                        0L,
                        places,
                        floats(sizes(3), 1, 3, 5),
                        "mean",
                        false),
                sizes(3),
                2,
                20,
                5);
        expect(
                tensor("scatter_reduce.two", longs(10, 20, 30), 0L, places, longs(1, 30, 5), "amax", true),
                DType.INT64,
                sizes(3),
                30,
                20,
                30);
        assertThrows(
                IllegalArgumentException.class,
                () -> tensor("scatter_reduce.two", longs(1, 2, 3), 0L, places, longs(1, 2, 3), "mode", true));
    }
}
