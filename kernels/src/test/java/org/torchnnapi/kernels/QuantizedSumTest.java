package org.torchnnapi.kernels;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Arrays;
import org.junit.jupiter.api.Test;

class QuantizedSumTest {
    /** Every pair of bytes against the real sum: the fixed-point rule is within its own precision of it, the other equal. */
    @Test
    void everyPairIsTheRoundedRealSum() {
        for (boolean signed : new boolean[] {false, true}) {
            int low = signed ? -128 : 0;
            QuantizedSum fixed = QuantizedSum.fixedPoint(0.021f, low + 17, 0.05f, low + 120, false, 0.07f, low + 90, signed, low, low + 255);
            QuantizedSum even = QuantizedSum.halfEven(0.021f, low + 17, 0.05f, low + 120, false, 0.07f, low + 90, signed, low, low + 255);
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
                        double real = ((value(i, signed) - low - 17) * (double) 0.021f + (value(j, signed) - low - 120) * (double) 0.05f)
                            / 0.07f;
                        double expected = Math.min(Math.max(Math.rint(real) + low + 90, low), low + 255);
                        double distance = Math.abs(real - Math.floor(real) - 0.5);
                        if (sum == even || distance > 1e-4) {
                            assertEquals(expected, value(out[j] & 255, signed), i + " + " + j);
                        }
                    }
                }
            }
        }
    }

    @Test
    void subtractsAndLimits() {
        QuantizedSum sum = QuantizedSum.fixedPoint(1, 0, 1, 0, true, 1, 10, false, 10, 20);
        byte[] out = new byte[3];
        sum.run(new byte[] {5, 9, 50}, 0, new byte[] {2, 20, 1}, 0, out, 0, 3);
        assertEquals(13, out[0]);
        assertEquals(10, out[1]);
        assertEquals(20, out[2]);
        assertThrows(IllegalArgumentException.class, () -> QuantizedSum.halfEven(0, 0, 1, 0, true, 1, 10, false, 10, 20));
        assertThrows(IllegalArgumentException.class, () -> sum.run(new byte[3], 0, new byte[2], 0, out, 0, 3));
    }

    private static int value(int unsigned, boolean signed) {
        return signed ? (byte) unsigned : unsigned;
    }
}
