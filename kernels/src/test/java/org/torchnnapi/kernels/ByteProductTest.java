package org.torchnnapi.kernels;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ByteProductTest {
    private static final int PAIRS = 1 << 16;

    /** PyTorch's rule in float, or that of NNAPI's definition in double; limited. */
    private static byte[] table(boolean torch, boolean signed, float[] scales, int[] zeros, int min, int max) {
        byte[] table = new byte[PAIRS];
        float factor = scales[0] * scales[1] * (1 / scales[2]);
        for (int i = 0; i < PAIRS; i++) {
            int a = (signed ? (byte) (i >> 8) : i >> 8) - zeros[0];
            int b = (signed ? (byte) i : i & 255) - zeros[1];
            double steps =
                    torch ? (float) (a * b) * factor : a * (double) scales[0] * (b * (double) scales[1]) / scales[2];
            table[i] = (byte) Math.min(Math.max(Math.rint(steps) + zeros[2], min), max);
        }
        return table;
    }

    private static ByteProduct product(byte[] table, boolean signed, float[] scales, int[] zeros) {
        return ByteProduct.of(table, signed, scales[0], zeros[0], scales[1], zeros[1], scales[2], zeros[2]);
    }

    /** Every pair of bytes by both rules, over many scales, with the kernel that this virtual machine has. */
    @Test
    void everyPairIsThatOfTheTable() {
        Random random = new Random(4);
        byte[] a = new byte[PAIRS];
        byte[] b = new byte[PAIRS];
        for (int i = 0; i < PAIRS; i++) {
            a[i] = (byte) (i >> 8);
            b[i] = (byte) i;
        }
        int found = 0;
        for (int round = 0; round < 48; round++) {
            boolean signed = round % 4 > 1;
            boolean torch = round % 2 == 0;
            int low = signed ? -128 : 0;
            float[] scales = {
                Math.scalb(1 + random.nextFloat(), -random.nextInt(9)),
                round % 3 == 0 ? 1f / 256 : Math.scalb(1 + random.nextFloat(), -random.nextInt(9)),
                Math.scalb(1 + random.nextFloat(), -random.nextInt(7))
            };
            int[] zeros = {low + random.nextInt(256), low + random.nextInt(256), low + random.nextInt(256)};
            byte[] table = table(torch, signed, scales, zeros, low + random.nextInt(90), low + 255);
            ByteProduct product = product(table, signed, scales, zeros);
            if (torch) {
                assertNotNull(product, Arrays.toString(scales));
            }
            if (product == null) {
                continue;
            }
            found++;
            byte[] out = a.clone();
            product.run(out, 0, b, 0, 1, 0, out, 0, PAIRS, 1);
            assertArrayEquals(table, out, Arrays.toString(scales) + " " + Arrays.toString(zeros));
        }
        // A product that lies nearer to a half than both its factors hold may be left to the table.
        assertEquals(48, found);
    }

    /** Ratios that are powers of two, where many products are halves: the even neighbour is taken. */
    @Test
    void halvesGoToTheEvenNeighbour() {
        for (boolean torch : new boolean[] {false, true}) {
            float[] scales = {0.5f, 0.25f, 1};
            int[] zeros = {128, 100, 120};
            byte[] table = table(torch, false, scales, zeros, 0, 255);
            byte[] out = new byte[256];
            byte[] all = new byte[256];
            for (int i = 0; i < 256; i++) {
                all[i] = (byte) i;
            }
            ByteProduct product = product(table, false, scales, zeros);
            for (int i = 0; i < 256; i++) {
                product.run(all, 0, new byte[] {(byte) i}, 0, 0, 0, out, 0, 256, 1);
                for (int k = 0; k < 256; k++) {
                    assertEquals(table[k << 8 | i], out[k]);
                }
            }
        }
    }

    @Test
    void rowsOfAnyLengthAndNoMore() {
        Random random = new Random(8);
        for (boolean signed : new boolean[] {false, true}) {
            float[] scales = {0.03f, 0.02f, 0.04f};
            int[] zeros = {7, 20, 30};
            byte[] table = table(true, signed, scales, zeros, signed ? -100 : 3, signed ? 90 : 250);
            ByteProduct product = product(table, signed, scales, zeros);
            for (int count = 0; count < 70; count++) {
                for (int step = 0; step < 2; step++) {
                    for (int rowStep : new int[] {0, 1, count + 3}) {
                        int rows = 3;
                        byte[] a = Twins.randomBytes(random, rows * count + 1L);
                        byte[] b = Twins.randomBytes(random, 4L * count + 12);
                        byte[] actual = Twins.randomBytes(random, rows * count + 6L);
                        byte[] expected = actual.clone();
                        for (int i = 0; i < rows * count; i++) {
                            int other = b[2 + i / count * rowStep + i % count * step] & 255;
                            expected[3 + i] = table[(a[1 + i] & 255) << 8 | other];
                        }
                        product.run(a, 1, b, 2, step, rowStep, actual, 3, count, rows);
                        assertArrayEquals(expected, actual, count + " bytes, step " + step + ", rows " + rowStep);
                    }
                }
            }
            byte[] nine = new byte[9];
            assertThrows(IllegalArgumentException.class, () -> product.run(nine, 0, nine, 0, 1, 4, nine, 0, 4, 3));
            assertThrows(IllegalArgumentException.class, () -> product.run(nine, 0, nine, 6, 1, 4, nine, 0, 4, 2));
        }
    }

    @Test
    void theOtherWayRound() {
        float[] scales = {0.03f, 0.02f, 0.04f};
        int[] zeros = {7, 20, 30};
        ByteProduct product = product(table(true, false, scales, zeros, 0, 255), false, scales, zeros);
        assertEquals(product.apply(90, 200), product.swapped().apply(200, 90));
    }

    @Test
    void otherTablesAreNoProducts() {
        float[] scales = {0.03f, 0.02f, 0.04f};
        int[] zeros = {7, 20, 30};
        byte[] table = table(true, false, scales, zeros, 0, 255);
        table[40000]++;
        assertNull(product(table, false, scales, zeros));
        assertThrows(IllegalArgumentException.class, () -> product(new byte[256], false, scales, zeros));
    }
}
