package org.torchnnapi.kernels;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Against sums in double, of rows that overlap, over awkward sizes. */
class WeightedRowsTest {
    private static final int[] SIZES = {0, 1, 3, 4, 6, 8, 13, 16, 17, 31, 64, 65, 100, 259};

    @Test
    void equalsItsTwin() {
        Random random = new Random(3);
        for (int size : SIZES) {
            for (int count : new int[] {0, 1, 4, 9}) {
                float[] in = Twins.randomFloats(random, 2 * size + 5);
                float[] weights = Twins.randomFloats(random, count + 1);
                int[] rows = random.ints(count, 0, size + 6).toArray();
                for (boolean adding : new boolean[] {false, true}) {
                    float[] out = new float[size + 2];
                    Arrays.fill(out, 2);
                    WeightedRows.sum(in, rows, weights, count, out, 1, size, adding);
                    assertEquals(2, out[0]);
                    assertEquals(2, out[size + 1]);
                    for (int i = 0; i < size; i++) {
                        double expected = adding ? 2 : 0;
                        for (int r = 0; r < count; r++) {
                            expected += (double) weights[r] * in[rows[r] + i];
                        }
                        assertEquals(expected, out[1 + i], 1e-5 * (1 + Math.abs(expected)));
                    }
                }
            }
        }
    }

    @Test
    void checksItsRows() {
        float[] in = new float[9];
        float[] out = new float[4];
        assertThrows(
                IllegalArgumentException.class,
                () -> WeightedRows.sum(in, new int[] {6}, new float[1], 1, out, 0, 4, false));
        assertThrows(
                IllegalArgumentException.class,
                () -> WeightedRows.sum(in, new int[] {-1}, new float[1], 1, out, 0, 4, false));
        assertThrows(
                IllegalArgumentException.class,
                () -> WeightedRows.sum(in, new int[1], new float[1], 2, out, 0, 4, false));
        assertThrows(
                IllegalArgumentException.class,
                () -> WeightedRows.sum(in, new int[1], new float[1], 1, out, 1, 4, false));
    }
}
