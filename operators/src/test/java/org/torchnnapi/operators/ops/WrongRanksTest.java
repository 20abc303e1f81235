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
}
