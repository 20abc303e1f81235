package org.torchnnapi.operators.ops;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.torchnnapi.operators.ops.Op.expect;
import static org.torchnnapi.operators.ops.Op.floats;
import static org.torchnnapi.operators.ops.Op.ints;
import static org.torchnnapi.operators.ops.Op.sizes;
import static org.torchnnapi.operators.ops.Op.tensor;
import static org.torchnnapi.operators.ops.Op.vector;

import java.util.Random;
import org.junit.jupiter.api.Test;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;

/** Matrix products. Expected values are genuine PyTorch's. */
class MatrixProductsTest {
    private static final Tensor A = floats(sizes(2, 3), 0.125, 0.625, -0.75, 0.25, -1.125, -1.125);
    private static final Tensor B = floats(sizes(3, 2), -0.375, 1.125, 0.75, -0.875, -0.375, 2);
    private static final Tensor B3 =
            floats(sizes(2, 2, 3), 1.5, 0.5, -0.375, -1, 0.125, -0.625, 1.125, 1.75, -0.5, 0.5, -0.25, -0.75);
    private static final Tensor C3 =
            floats(sizes(2, 3, 2), -0.875, 0.25, -2.75, 1.75, -0.625, 1.625, -0.625, -3.25, 0.375, 0.375, 0, -2.25);
    private static final Tensor I = Tensor.of(new long[] {-7, 2, 3, 4, -5, 6}, 2, 3);

    @Test
    void products() {
        expect(tensor("mm", A, B), sizes(2, 2), 0.703125, -1.90625, -0.515625, -0.984375);
        expect(
                tensor("bmm", B3, C3),
                sizes(2, 2, 2),
                -2.453125,
                0.640625,
                0.921875,
                -1.046875,
                -0.046875,
                -1.875,
                -0.40625,
                -0.03125);
        expect(
                tensor("matmul", B3, B),
                sizes(2, 2, 2),
                -0.046875,
                0.5,
                0.703125,
                -2.484375,
                1.078125,
                -1.265625,
                -0.09375,
                -0.71875);
        expect(tensor("matmul", A, floats(sizes(3), 1, 2, 3)), sizes(2), -0.875, -5.375);
        expect(tensor("matmul", floats(sizes(2), 1, 2), A), sizes(3), 0.625, -1.625, -3);
        expect(
                tensor("mm", I, Tensor.of(new long[] {-7, 4, 2, -5, 3, 6}, 3, 2)),
                DType.INT64,
                sizes(2, 2),
                62,
                -20,
                -20,
                77);
        expect(
                tensor(
                        "linear",
                        A,
                        floats(sizes(2, 3), -0.375, 0.75, -0.375, 1.125, -0.875, 2),
                        floats(sizes(2), 1, -1)),
                sizes(2, 2),
                1.703125,
                -2.90625,
                0.484375,
                -1.984375);
        expect(tensor("dot", floats(sizes(2), 1, 2), floats(sizes(2), 3, 4)), sizes(), 11);
        expect(tensor("outer", floats(sizes(2), 1, 2), floats(sizes(2), 3, 4)), sizes(2, 2), 3, 4, 6, 8);
    }

    /** Groups of rows, of columns and of what is summed, one of them empty, as offsets tell where each ends. */
    @Test
    void groups() {
        Tensor a = floats(sizes(4, 2), 1, 2, 3, 4, 5, 6, 7, 8);
        Tensor two = floats(sizes(3, 2, 1), 1, 1, 9, 9, 1, -2);
        Tensor ends = Tensor.of(new int[] {1, 1, 3}, 3);
        // The last row belongs to no group.
        expect(tensor("_grouped_mm", a, two, ends), sizes(4, 1), 3, -5, -7, 0);
        Tensor columns = floats(sizes(2, 3), 1, 2, 3, 4, 5, 6);
        expect(tensor("_grouped_mm", floats(sizes(3, 1, 2), 1, 0, 5, 5, 0, 1), columns, ends), sizes(1, 3), 1, 5, 6);
        expect(
                tensor("_grouped_mm", floats(sizes(1, 3), 1, 2, 3), floats(sizes(3, 1), 4, 5, 6), ends),
                sizes(3, 1, 1),
                4,
                0,
                28);
        expect(
                tensor("_grouped_mm", B3, C3),
                sizes(2, 2, 2),
                -2.453125,
                0.640625,
                0.921875,
                -1.046875,
                -0.046875,
                -1.875,
                -0.40625,
                -0.03125);
        expect(
                tensor("_grouped_mm", a, two, ends, null, (long) DType.FLOAT64.code()),
                DType.FLOAT64,
                sizes(4, 1),
                3,
                -5,
                -7,
                0);
        assertThrows(RuntimeException.class, () -> tensor("_grouped_mm", a, two, ends, vector(1)));
    }

    /**
     * Around the sizes of blocks, with few columns and with many; whole numbers, which doubles add exactly in any
     * order.
     */
    @Test
    void doublesOfAnySizes() {
        Random random = new Random(3);
        for (int[] size :
                new int[][] {{1, 1, 1}, {3, 257, 65}, {70, 2, 130}, {300, 1, 9}, {1, 300, 66}, {17, 16, 0}, {5, 513, 3}
                }) {
            int m = size[0];
            int n = size[1];
            int k = size[2];
            double[] a = random.ints(2L * m * k, -9, 10).asDoubleStream().toArray();
            double[] b = random.ints(2L * k * n, -9, 10).asDoubleStream().toArray();
            double[] expected = new double[2 * m * n];
            for (int i = 0; i < expected.length; i++) {
                int batch = i / (m * n);
                for (int p = 0; p < k; p++) {
                    expected[i] += a[(batch * m + i / n % m) * k + p] * b[(batch * k + p) * n + i % n];
                }
            }
            Tensor product = tensor("bmm", Tensor.of(DType.FLOAT64, a, 2, m, k), Tensor.of(DType.FLOAT64, b, 2, k, n));
            assertArrayEquals(new int[] {2, m, n}, product.sizes());
            assertArrayEquals(expected, product.storage().doubleArray());
        }
    }

    @Test
    void sumsWithProducts() {
        expect(
                tensor("addmm", floats(sizes(2), 10, 20), A, B, 0.5, 2.0),
                sizes(2, 2),
                6.40625,
                6.1875,
                3.96875,
                8.03125);
        expect(
                tensor(
                        "baddbmm",
                        floats(sizes(2, 2, 2), 1.125, 0.875, -1.25, -0.75, -0.625, 0.125, 0.5, -0.125),
                        B3,
                        C3,
                        0L,
                        1L),
                sizes(2, 2, 2),
                -2.453125,
                0.640625,
                0.921875,
                -1.046875,
                -0.046875,
                -1.875,
                -0.40625,
                -0.03125);
        expect(
                tensor("tensordot", B3, C3, ints(2), ints(1)),
                sizes(2, 2, 2, 2),
                -2.453125,
                0.640625,
                -0.75,
                -3.84375,
                0.921875,
                -1.046875,
                0.671875,
                4.703125,
                -5.484375,
                2.53125,
                -0.046875,
                -1.875,
                0.71875,
                -1.53125,
                -0.40625,
                -0.03125);
        expect(tensor("kron", floats(sizes(1, 2), 1, 2), floats(sizes(2, 1), 3, 4)), sizes(2, 2), 3, 6, 4, 8);
        expect(
                tensor(
                        "bilinear",
                        A,
                        A,
                        floats(
                                sizes(2, 3, 3),
                                -1.125,
                                -0.5,
                                0.875,
                                -0.75,
                                -0.25,
                                0.25,
                                1.25,
                                0.5,
                                -0.375,
                                1.125,
                                -0.375,
                                -0.5,
                                0.375,
                                0.875,
                                0.375,
                                1.25,
                                -1.25,
                                -0.125),
                        null),
                sizes(2, 2),
                -0.974609375,
                0.62890625,
                -0.158203125,
                -0.298828125);
    }

    @Test
    void refusesSizesThatDoNotFit() {
        assertThrows(IllegalArgumentException.class, () -> tensor("mm", A, A));
        assertThrows(IllegalArgumentException.class, () -> tensor("matmul", A, floats(sizes(), 1)));
        assertThrows(IllegalArgumentException.class, () -> tensor("bmm", A, A));
    }

    @Test
    void innerProductsOfNumbersAndRows() {
        Tensor x = floats(sizes(2, 3), 1, 4, 2, 3, -1, 5);
        expect(tensor("inner", floats(sizes(), 3), x), sizes(2, 3), 3, 12, 6, 9, -3, 15);
        expect(tensor("inner", x, floats(sizes(1, 3), 1, 0, 1)), sizes(2, 1), 3, 8);
    }

    @Test
    void sumsOfProductsKeepTheirType() {
        expect(
                tensor("addr", floats(sizes(2, 3), 1, 1, 1, 1, 1, 1), vector(1, 2), vector(2, 4, 8), 2L, 0.5),
                sizes(2, 3),
                3,
                4,
                6,
                4,
                6,
                10);
        Tensor ones = Tensor.of(DType.INT32, new int[] {1, 1, 1, 1, 1, 1, 1, 1}, 2, 2, 2);
        expect(
                tensor("addbmm", Tensor.of(DType.INT32, new int[] {1, 1, 1, 1}, 2, 2), ones, ones),
                DType.INT32,
                sizes(2, 2),
                5,
                5,
                5,
                5);
    }
}
