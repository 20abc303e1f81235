package org.torchnnapi.kernels;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Random;
import org.junit.jupiter.api.Test;

class GemmTest {
    private static final int[] SIZES = {1, 2, 7, 13, 65, 300};

    @Test
    void equalsItsTwinInEveryOrientation() {
        Random random = new Random(2);
        int orientation = 0;
        for (int m : SIZES) {
            for (int n : SIZES) {
                for (int k : SIZES) {
                    if ((long) m * n * k < 2_000_000) {
                        check(m, n, k, (orientation & 1) != 0, (orientation++ & 2) != 0, orientation % 3 == 0, random);
                    }
                }
            }
        }
    }

    @Test
    void emptySumsAreZeroAndEmptyProductsNothing() {
        float[] c = {5, 5};
        Gemm zero = Gemm.plan(1, 2, 0);
        zero.run(new float[0], 0, new float[0], 0, c, 0, 0, zero.units());
        assertEquals(0f, c[0]);
        assertEquals(0f, c[1]);
        assertEquals(0, Gemm.plan(0, 5, 3).units());
        assertThrows(IllegalArgumentException.class, () -> Gemm.plan(-1, 5, 3));
        Gemm small = Gemm.plan(2, 2, 2);
        assertThrows(
                IllegalArgumentException.class,
                () -> small.run(new float[3], 0, new float[4], 0, new float[4], 0, 0, 1));
    }

    private static void check(
            int m, int n, int k, boolean transposeA, boolean transposeB, boolean accumulate, Random random) {
        float[] a = Twins.randomFloats(random, m * k);
        float[] b = Twins.randomFloats(random, k * n);
        float[] c = Twins.randomFloats(random, m * (n + 2));
        float[] before = c.clone();
        float beta = accumulate ? 0.5f : 0;
        Gemm gemm = Gemm.plan(
                m,
                n,
                k,
                transposeA ? 1 : k,
                transposeA ? m : 1,
                transposeB ? 1 : n,
                transposeB ? k : 1,
                n + 2,
                2,
                beta,
                Clamp.NONE);
        gemm.run(a, 0, b, 0, c, 0, gemm.units() / 2, gemm.units());
        gemm.run(a, 0, b, 0, c, 0, 0, gemm.units() / 2);
        for (int i = 0; i < m; i++) {
            for (int j = 0; j < n; j++) {
                double sum = 0;
                for (int p = 0; p < k; p++) {
                    sum += (double) a[transposeA ? p * m + i : i * k + p] * b[transposeB ? j * k + p : p * n + j];
                }
                double expected = 2 * sum + beta * before[i * (n + 2) + j];
                assertEquals(expected, c[i * (n + 2) + j], 1e-5 * Math.sqrt(k), m + "x" + n + "x" + k);
            }
            assertEquals(before[i * (n + 2) + n], c[i * (n + 2) + n]);
        }
    }
}
