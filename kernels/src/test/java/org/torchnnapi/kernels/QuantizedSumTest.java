package org.torchnnapi.kernels;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

class QuantizedSumTest {
    /**
     * Every pair of bytes against the real sum: the fixed-point rule is within its own precision of it, the other
     * equal.
     */
    @Test
    void everyPairIsTheRoundedRealSum() {
        for (boolean signed : new boolean[] {false, true}) {
            int low = signed ? -128 : 0;
            QuantizedSum fixed = QuantizedSum.fixedPoint(
                    0.021f, low + 17, 0.05f, low + 120, false, 0.07f, low + 90, signed, low, low + 255);
            QuantizedSum even = QuantizedSum.halfEven(
                    0.021f, low + 17, 0.05f, low + 120, false, 0.07f, low + 90, signed, low, low + 255);
            byte[] a = new byte[256];
            byte[] b = new byte[256];
            byte[] out = new byte[256];
            for (int i = 0; i < 256; i++) {
                b[i] = (byte) i;
            }
            for (int i = 0; i < 256; i++) {
                Arrays.fill(a, (byte) i);
                for (QuantizedSum sum : new QuantizedSum[] {fixed, even}) {
                    sum.run(a, 0, b, 0, out, 0, 256);
                    for (int j = 0; j < 256; j++) {
                        double real = ((value(i, signed) - low - 17) * (double) 0.021f
                                        + (value(j, signed) - low - 120) * (double) 0.05f)
                                / 0.07f;
                        double expected = Math.min(Math.max(Math.rint(real) + low + 90, low), low + 255);
                        double distance = Math.abs(real - Math.floor(real) - 0.5);
                        if (sum == even || distance > 1e-3) {
                            assertEquals(expected, value(out[j] & 255, signed), i + " + " + j);
                        }
                    }
                }
            }
        }
    }

    /** QNNPACK's definition in 64 bits, over every pair, many ratios of scales and lengths that leave a rest. */
    @Test
    void fixedPointIsExact() {
        Random random = new Random(5);
        for (int round = 0; round < 12; round++) {
            boolean signed = round % 2 == 0;
            int low = signed ? -128 : 0;
            float scaleA = Math.scalb(1 + random.nextFloat(), random.nextInt(21) - 13);
            float scaleB = round == 5 ? scaleA : Math.scalb(1 + random.nextFloat(), random.nextInt(21) - 13);
            int zeroA = low + random.nextInt(256);
            int zeroB = low + random.nextInt(256);
            QuantizedSum sum = QuantizedSum.fixedPoint(
                    scaleA, zeroA, scaleB, zeroB, round % 3 == 0, 1, low + 99, signed, low + 3, low + 250);
            int bits = 21 - Math.getExponent(Math.max(scaleA, scaleB));
            long a = (long) Math.rint(Math.scalb((double) scaleA, bits));
            long b = (long) Math.rint(Math.scalb((double) scaleB, bits)) * (round % 3 == 0 ? -1 : 1);
            int count = (1 << 16) - round;
            byte[] left = new byte[1 << 16];
            byte[] right = new byte[1 << 16];
            for (int i = 0; i < left.length; i++) {
                left[i] = (byte) (i >> 8);
                right[i] = (byte) i;
            }
            byte[] out = left.clone();
            sum.run(out, round, right, round, out, round, count);
            for (int i = round; i < count; i++) {
                long exact = a * (value(left[i] & 255, signed) - zeroA) + b * (value(right[i] & 255, signed) - zeroB);
                long steps = (Math.abs(exact) + (1L << bits - 1) >> bits) * Long.signum(exact);
                assertEquals(
                        (byte) Math.min(Math.max(steps + low + 99, low + 3), low + 250),
                        out[i],
                        scaleA + " " + scaleB + " at " + i);
                assertEquals(out[i], (byte) sum.apply(left[i] & (signed ? -1 : 255), right[i] & (signed ? -1 : 255)));
            }
        }
        assertFalse(QuantizedSum.isFixedPoint(1, 300, 1));
        assertThrows(
                IllegalArgumentException.class,
                () -> QuantizedSum.fixedPoint(1, 0, 1, 0, false, 1e-3f, 0, false, 0, 255));
    }

    @Test
    void anyNumberOfBytesIsSummedAndNoMore() {
        Random random = new Random(9);
        for (boolean signed : new boolean[] {false, true}) {
            QuantizedSum sum = QuantizedSum.fixedPoint(
                    0.02f, 7, 0.03f, 20, false, 0.04f, 30, signed, signed ? -100 : 3, signed ? 90 : 250);
            for (int count = 0; count < 200; count++) {
                byte[] a = Twins.randomBytes(random, count + 1L);
                byte[] b = Twins.randomBytes(random, count + 2L);
                byte[] actual = Twins.randomBytes(random, count + 5L);
                byte[] expected = actual.clone();
                for (int i = 0; i < count; i++) {
                    int x = signed ? a[i + 1] : a[i + 1] & 255;
                    int y = signed ? b[i + 2] : b[i + 2] & 255;
                    expected[i + 3] = (byte) sum.apply(x, y);
                }
                sum.run(a, 1, b, 2, actual, 3, count);
                assertArrayEquals(expected, actual, count + " bytes, signed " + signed);
            }
        }
    }

    @Test
    void rowsApartAreSummedAsEachOnItsOwn() {
        Random random = new Random(6);
        for (QuantizedSum sum : new QuantizedSum[] {
            QuantizedSum.fixedPoint(0.02f, 7, 0.03f, 20, false, 0.04f, 30, false, 0, 255),
            QuantizedSum.halfEven(0.02f, 7, 0.03f, 20, false, 0.04f, 30, false, 0, 255)
        }) {
            for (int count : new int[] {1, 15, 32, 70}) {
                byte[] a = Twins.randomBytes(random, 4 * 71L);
                byte[] b = Twins.randomBytes(random, 4 * 71L);
                byte[] expected = a.clone();
                for (int row = 0; row < 4; row++) {
                    sum.run(a, 1 + row * 70, b, 2 + row * 70, expected, row * 70, count);
                }
                byte[] actual = a.clone();
                sum.runRows(a, 1, b, 2, actual, 0, count, 4, 70);
                assertArrayEquals(expected, actual);
                byte[] finished = a.clone();
                sum.finish(b, 2, finished, 1, count, 4, 70);
                for (int i = 0; i < 4 * 70; i++) {
                    assertEquals(i % 70 < count ? expected[i] : a[1 + i], finished[1 + i]);
                }
            }
        }
        QuantizedSum sum = QuantizedSum.halfEven(1, 0, 1, 0, false, 1, 0, false, 0, 255);
        assertThrows(
                IllegalArgumentException.class,
                () -> sum.runRows(new byte[9], 0, new byte[9], 0, new byte[9], 0, 4, 2, 6));
        assertThrows(
                IllegalArgumentException.class,
                () -> sum.runRows(new byte[9], 0, new byte[9], 0, new byte[9], 0, 4, 2, 3));
    }

    @Test
    void subtractsAndLimits() {
        QuantizedSum sum = QuantizedSum.fixedPoint(1, 0, 1, 0, true, 1, 10, false, 10, 20);
        byte[] out = new byte[3];
        sum.run(new byte[] {5, 9, 50}, 0, new byte[] {2, 20, 1}, 0, out, 0, 3);
        assertEquals(13, out[0]);
        assertEquals(10, out[1]);
        assertEquals(20, out[2]);
        assertThrows(
                IllegalArgumentException.class, () -> QuantizedSum.halfEven(0, 0, 1, 0, true, 1, 10, false, 10, 20));
        assertThrows(IllegalArgumentException.class, () -> sum.run(new byte[3], 0, new byte[2], 0, out, 0, 3));
    }

    private static int value(int unsigned, boolean signed) {
        return signed ? (byte) unsigned : unsigned;
    }

    @Test
    void swapsAndLimits() {
        QuantizedSum fixed = QuantizedSum.fixedPoint(0.1f, 3, 0.02f, 100, false, 0.07f, 9, false, 0, 255);
        QuantizedSum real = QuantizedSum.halfEven(0.1f, 3, 0.02f, 100, true, 0.07f, 9, false, 0, 255);
        for (QuantizedSum sum : new QuantizedSum[] {fixed, real}) {
            QuantizedSum swapped = sum.swapped();
            QuantizedSum limited = sum.limited(9, 40);
            for (int a = 0; a < 256; a += 5) {
                for (int b = 0; b < 256; b += 3) {
                    assertEquals(sum.apply(a, b), swapped.apply(b, a));
                    assertEquals(Math.min(Math.max(sum.apply(a, b), 9), 40), limited.apply(a, b));
                }
            }
        }
    }
}
