package org.torchnnapi.kernels;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

class TransposeKernelTest {
    @Test
    void equalsItsTwin() {
        Random random = new Random(4);
        int[][] shapes = {
            {1},
            {5},
            {17, 33},
            {64, 3},
            {2, 3, 40},
            {3, 17, 2, 19},
            {2, 1, 5, 3},
            {1, 20, 20, 4},
            {2, 3, 4, 5, 6},
            {3, 9001},
            {2, 5000, 3},
            {5, 4999},
            {130, 270}
        };
        for (int[] dims : shapes) {
            for (int round = 0; round < 6; round++) {
                int[] order = shuffled(dims.length, random);
                int size = Arrays.stream(dims).reduce(1, (x, y) -> x * y);
                float[] in = Twins.randomFloats(random, size + 1);
                byte[] bytes = Twins.randomBytes(random, size + 1);
                float[] expected = new float[size];
                byte[] expectedBytes = new byte[size];
                for (int i = 0; i < size; i++) {
                    int source = source(i, dims, order);
                    expected[i] = in[1 + source];
                    expectedBytes[i] = bytes[1 + source];
                }
                TransposeKernel transpose = TransposeKernel.plan(dims, order);
                float[] out = new float[size];
                byte[] outBytes = new byte[size];
                int half = transpose.units() / 2;
                transpose.run(in, 1, out, 0, half, transpose.units());
                transpose.run(in, 1, out, 0, 0, half);
                transpose.run(bytes, 1, outBytes, 0, 0, transpose.units());
                String what = Arrays.toString(dims) + " by " + Arrays.toString(order);
                assertArrayEquals(expected, out, what);
                assertArrayEquals(expectedBytes, outBytes, what);
            }
        }
        assertThrows(IllegalArgumentException.class, () -> TransposeKernel.plan(new int[] {2, 3}, new int[] {0, 0}));
        assertThrows(IllegalArgumentException.class, () -> TransposeKernel.plan(new int[] {2, 3}, new int[] {0}));
        assertEquals(0, TransposeKernel.plan(new int[] {2, 0}, new int[] {1, 0}).units());
    }

    private static int[] shuffled(int n, Random random) {
        int[] order = new int[n];
        for (int i = 0; i < n; i++) {
            int j = random.nextInt(i + 1);
            order[i] = order[j];
            order[j] = i;
        }
        return order;
    }

    private static int source(int index, int[] dims, int[] order) {
        int source = 0;
        int rest = index;
        for (int i = dims.length - 1; i >= 0; i--) {
            int step = 1;
            for (int k = order[i] + 1; k < dims.length; k++) {
                step *= dims[k];
            }
            source += rest % dims[order[i]] * step;
            rest /= dims[order[i]];
        }
        return source;
    }
}
