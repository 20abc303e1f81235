package org.torchnnapi.kernels;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class QuantizingTest {
    private static final float[] REALS = {
        -100,
        -1.25f,
        -0.75f,
        -0.25f,
        0,
        0.25f,
        0.75f,
        1.25f,
        100,
        Float.NaN,
        Float.POSITIVE_INFINITY,
        Float.NEGATIVE_INFINITY
    };

    @Test
    void roundsByTheRuleAndSaturates() {
        byte[] out = new byte[REALS.length];
        Quantizing.quantize(REALS, 0, out, 0, REALS.length, 0.5f, 0, true, Rounding.HALF_AWAY);
        assertArrayEquals(new byte[] {-128, -3, -2, -1, 0, 1, 2, 3, 127, 0, 127, -128}, out);
        Quantizing.quantize(REALS, 0, out, 0, REALS.length, 0.5f, 0, true, Rounding.HALF_EVEN);
        assertArrayEquals(new byte[] {-128, -2, -2, 0, 0, 0, 2, 2, 127, -128, 127, -128}, out);
        Quantizing.quantize(REALS, 0, out, 0, REALS.length, 0.5f, 128, false, Rounding.HALF_EVEN);
        assertEquals((byte) 126, out[1]);
        assertEquals((byte) 255, out[8]);
        assertEquals((byte) 0, out[0]);
    }

    /** Over sizes that leave a rest, with quotients on and beside the halves, and NaNs. */
    @ParameterizedTest
    @EnumSource(Quantizing.Rule.class)
    void equalsItsTwin(Quantizing.Rule rule) {
        Random random = new Random(8);
        for (float scale : new float[] {0.0371f, 1 / 3f, 0.5f, 3}) {
            for (int n : new int[] {1, 5, 16, 31, 700}) {
                float[] in = new float[n + 1];
                for (int i = 1; i <= n; i++) {
                    in[i] = (random.nextInt(1200) - 600) * 0.5f * scale;
                    in[i] = i % 3 == 0 ? Math.nextUp(in[i]) : i % 3 == 1 ? Math.nextDown(in[i]) : in[i];
                }
                in[1 + random.nextInt(n)] = Float.NaN;
                byte[] out = new byte[n + 2];
                Quantizing.quantize(in, 1, out, 2, n, scale, 100, false, rule);
                for (int i = 0; i < n; i++) {
                    double steps = rule.steps(in[1 + i], scale);
                    double expected = Double.isNaN(steps) ? 100 : Math.min(Math.max(steps + 100, 0), 255);
                    assertEquals(expected, out[2 + i] & 255, rule + " of " + in[1 + i] + " by " + scale);
                }
                float[] back = new float[n];
                Quantizing.dequantize(out, 2, back, 0, n, scale, 100, false);
                byte[] table = Twins.randomBytes(random, 256);
                byte[] pairs = Twins.randomBytes(random, 1 << 16);
                byte[] looked = new byte[n];
                byte[] ofPairs = new byte[n];
                Quantizing.lookUp(out, 2, looked, 0, n, table);
                Quantizing.lookUpPairs(out, 2, 1, out, 1, 0, ofPairs, 0, n, pairs);
                for (int i = 0; i < n; i++) {
                    assertEquals(((out[2 + i] & 255) - 100) * scale, back[i]);
                    assertEquals(table[out[2 + i] & 255], looked[i]);
                    assertEquals(pairs[(out[2 + i] & 255) * 256 + (out[1] & 255)], ofPairs[i]);
                }
            }
        }
    }

    @Test
    void dequantizeInverts() {
        float[] out = new float[2];
        Quantizing.dequantize(new byte[] {(byte) 255, 3}, 0, out, 0, 2, 0.25f, 5, false);
        assertArrayEquals(new float[] {62.5f, -0.5f}, out);
        assertThrows(
                IllegalArgumentException.class, () -> Quantizing.dequantize(new byte[2], 0, out, 0, 2, 0, 5, false));
    }

    /** In each of 64 bytes, as many as a vector has, and in those behind the last vector, where the input is. */
    @Test
    void tablesGiveEveryByte() {
        byte[] table = Twins.randomBytes(new Random(9), 256);
        byte[] bytes = new byte[64 * 256 + 77];
        byte[] expected = new byte[bytes.length];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) (i + i / 256);
            expected[i] = i == 0 ? bytes[i] : table[bytes[i] & 255];
        }
        Quantizing.lookUp(bytes, 1, bytes, 1, bytes.length - 1, table);
        assertArrayEquals(expected, bytes);
    }

    @Test
    void tablesAreIndexedByTheUnsignedByte() {
        byte[] table = new byte[256];
        table[200] = 9;
        byte[] out = new byte[1];
        Quantizing.lookUp(new byte[] {(byte) 200}, 0, out, 0, 1, table);
        assertEquals(9, out[0]);
        assertThrows(IllegalArgumentException.class, () -> Quantizing.lookUp(new byte[1], 0, out, 0, 1, new byte[255]));
    }
}
