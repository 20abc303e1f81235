package org.torchnnapi.operators.ops;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.torchnnapi.operators.ops.Op.ints;
import static org.torchnnapi.operators.ops.Op.longs;
import static org.torchnnapi.operators.ops.Op.vector;

import org.junit.jupiter.api.Test;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;

/**
 * Too few dimensions, or too many, are told in words, as PyTorch 1.13 does; not by the number of an array's element.
 */
class WrongRanksTest {
    private static final Tensor X = vector(1, 2, 3);
    private static final Tensor SCALAR = Tensor.of(new float[] {1});

    private static void refused(String words, String name, Object... arguments) {
        RuntimeException e = assertThrows(RuntimeException.class, () -> Op.call(name, arguments), name);
        assertTrue(e.getMessage().contains(words), name + ": " + e);
    }

    @Test
    void convolutions() {
        Tensor image = Tensor.zeros(DType.FLOAT32, 1, 1, 1, 1);
        for (String padding : new String[] {"same", "valid"}) {
            refused("weight should have at least three dimensions", "conv1d.padding", X, X, null, ints(1), padding);
            refused(
                    "Expected 3D (unbatched) or 4D (batched) input to conv2d, but got input of size: [3]",
                    "conv2d.padding",
                    X,
                    image,
                    null,
                    ints(1),
                    padding);
            refused(
                    "weight should have at least three dimensions",
                    "_convolution_mode",
                    X,
                    X,
                    null,
                    ints(1),
                    padding,
                    ints(1),
                    1L);
        }
        refused(
                "weight should have at least three dimensions",
                "convolution",
                X,
                X,
                null,
                ints(1),
                ints(0),
                ints(1),
                false,
                ints(0),
                1L);
        refused(
                "input to conv2d, but got input of size: [3]",
                "convolution",
                X,
                image,
                null,
                ints(1),
                ints(0),
                ints(1),
                false,
                ints(0),
                1L);
    }

    @Test
    void matrices() {
        refused("at least 2 dimensions", "linalg_lstsq", X, X);
        refused("at least 2 dimensions", "linalg_solve_triangular", Tensor.zeros(DType.FLOAT32, 1, 1), X, true);
        refused("at least 2 dimensions", "linalg_lu_solve", X, Tensor.of(new int[] {1}, 1), X);
        refused("at least 2 dimensions", "lu_solve", X, X, Tensor.of(new int[] {1}, 1));
    }

    @Test
    void scalars() {
        refused("Dimension specified as 0 but tensor has no dimensions", "size.int", SCALAR, 0L);
        refused(
                "Dimension specified as -1 but tensor has no dimensions",
                "bilinear",
                SCALAR,
                SCALAR,
                Tensor.zeros(DType.FLOAT32, 1, 1, 1));
        refused("Dimension specified as 0 but tensor has no dimensions", "split.Tensor", SCALAR, 1L);
    }

    @Test
    void indices() {
        Tensor square = Tensor.zeros(DType.FLOAT32, 3, 3);
        Tensor cube = Tensor.zeros(DType.INT64, 3, 3, 3);
        refused(
                "Index tensor must have the same number of dimensions",
                "scatter_reduce.two",
                square,
                0L,
                longs(0),
                vector(1),
                "sum");
        refused("Index tensor must have the same number of dimensions", "scatter.src", square, 0L, longs(0), vector(1));
        refused("Index tensor must have the same number of dimensions", "scatter_add", square, 0L, cube, square);
        refused("Index tensor must have the same number of dimensions", "gather", square, 0L, longs(0));
    }

    /** Genuine PyTorch raises for each of these. */
    @Test
    void sizesThatDoNotGoTogether() {
        Tensor number = Op.floats(Op.sizes(), 3);
        Tensor none = Tensor.zeros(DType.FLOAT32, 2, 0);
        refused("appears multiple times", "nansum", number, Op.ints(0, -1), false, null);
        refused("appears multiple times", "movedim.intlist", number, Op.ints(0, 0), Op.ints(0, 0));
        refused("3 dimensions (expected: 2)", "pdist", Tensor.zeros(DType.FLOAT32, 1, 1, 5), 2.0);
        refused("p -1.", "pdist", Tensor.zeros(DType.FLOAT32, 2, 5), -1.0);
        refused("1 elements in the source", "put", X, Op.longs(0, 1), SCALAR, false);
        Tensor column = Tensor.zeros(DType.FLOAT32, 2, 1);
        Tensor matrix = Tensor.of(new long[] {0}, 1, 1);
        refused("(expected: a vector)", "index_reduce", column, 0L, matrix, column, "prod", true);
        refused("(expected: float32", "index_reduce", X, 0L, Op.longs(0), Tensor.zeros(DType.FLOAT64, 1), "prod", true);
        refused("elements in each slice", "unique_dim", none, 0L, true, false, false);
        refused("one for each point", "histogramdd", column.permute(1, 0), Op.ints(2, 2), null, X, false);
        Tensor spectrum = Tensor.zeros(DType.COMPLEX64, 9, 0);
        refused("(expected: elements)", "istft", spectrum, 16L, null, null, null, true, false, null, null, false);
        refused("square", "linalg_solve_ex", Tensor.zeros(DType.FLOAT32, 0, 5, 0), none, true, false);
        refused(
                "numbers for each unknown",
                "linalg_solve_ex",
                Tensor.zeros(DType.FLOAT32, 0, 5, 5),
                Tensor.zeros(DType.FLOAT32, 0, 2, 5),
                true,
                false);
        Tensor noChannels = Tensor.zeros(DType.FLOAT32, 2, 0, 4, 4, 4);
        refused("dimension 1 being empty", "adaptive_avg_pool3d", noChannels, Op.ints(3, 3, 3));
        refused("dimension 3 being empty", "adaptive_avg_pool2d", Tensor.zeros(DType.FLOAT32, 2, 3, 1, 0), ints(5, 5));
    }
}
