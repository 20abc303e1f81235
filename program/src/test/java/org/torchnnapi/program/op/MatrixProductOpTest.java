package org.torchnnapi.program.op;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.torchnnapi.program.ValueType;

class MatrixProductOpTest {
    @Test
    void ofEachPair() {
        Random random = new Random(9);
        for (int[] mnk : new int[][] {{1, 1, 1}, {7, 13, 5}, {17, 3, 40}, {1, 65, 33}}) {
            int m = mnk[0];
            int n = mnk[1];
            int k = mnk[2];
            for (boolean transposeB : new boolean[] {false, true}) {
                for (int batchB : new int[] {1, 6}) {
                    int[] matrix = transposeB ? new int[] {n, k} : new int[] {k, n};
                    ValueType typeB =
                            batchB == 1 ? ValueType.floats(matrix) : ValueType.floats(2, 3, matrix[0], matrix[1]);
                    List<ValueType> types = List.of(ValueType.floats(2, 3, m, k), typeB);
                    float[] a = (float[]) Ops.random(random, types.get(0));
                    float[] b = (float[]) Ops.random(random, types.get(1));
                    float[] actual = (float[]) Ops.run(new MatrixProductOp(transposeB, 0.5f), types, a, b);
                    for (int i = 0; i < actual.length; i++) {
                        int row = i / n;
                        int column = i % n;
                        int matrixB = batchB == 1 ? 0 : row / m * k * n;
                        double sum = 0;
                        for (int p = 0; p < k; p++) {
                            sum += (double) a[row * k + p]
                                    * b[matrixB + (transposeB ? column * k + p : p * n + column)];
                        }
                        assertEquals(0.5 * sum, actual[i], 1e-5 * Math.sqrt(k), types + " element " + i);
                    }
                }
            }
        }
        assertThrows(
                IllegalArgumentException.class,
                () -> new MatrixProductOp(false, 1).result(List.of(ValueType.floats(2, 3), ValueType.floats(2, 3))));
    }
}
