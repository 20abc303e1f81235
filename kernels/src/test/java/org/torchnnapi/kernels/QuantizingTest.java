package org.torchnnapi.kernels;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;

class QuantizingTest {
    private static final float[] REALS = {-100, -1.25f, -0.75f, -0.25f, 0, 0.25f, 0.75f, 1.25f, 100, Float.NaN,
        Float.POSITIVE_INFINITY, Float.NEGATIVE_INFINITY};

    @Test
    void roundsByTheRuleAndSaturates() {
        byte[] out = new byte[REALS.length];
        Quantizing.quantize(REALS, 0, out, 0, REALS.length, 0.5f, 0, true, Rounding.HALF_AWAY);
        assertArrayEquals(new byte[] {-128, -3, -2, -1, 0, 1, 2, 3, 127, 0, 127, -128}, out);
        Quantizing.quantize(REALS, 0, out, 0, REALS.length, 0.5f, 0, true, Rounding.HALF_EVEN);
        assertArrayEquals(new byte[] {-128, -2, -2, 0, 0, 0, 2, 2, 127, 0, 127, -128}, out);
        Quantizing.quantize(REALS, 0, out, 0, REALS.length, 0.5f, 128, false, Rounding.HALF_EVEN);
        assertEquals((byte) 126, out[1]);
        assertEquals((byte) 255, out[8]);
        assertEquals((byte) 0, out[0]);
    }

    @Test
    void dequantizeInverts() {
        float[] out = new float[2];
        Quantizing.dequantize(new byte[] {(byte) 255, 3}, 0, out, 0, 2, 0.25f, 5, false);
        assertArrayEquals(new float[] {62.5f, -0.5f}, out);
        assertThrows(IllegalArgumentException.class, () -> Quantizing.dequantize(new byte[2], 0, out, 0, 2, 0, 5, false));
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
