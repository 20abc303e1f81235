package org.torchnnapi.kernels;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** All halves, and floats of every magnitude, against their definition. */
class HalfFloatsTest {
    /** The value of a half by its definition. */
    private static float plain(short half) {
        int exponent = half >> 10 & 31;
        int mantissa = half & 1023;
        double magnitude = exponent == 31
                ? (mantissa == 0 ? Double.POSITIVE_INFINITY : Double.NaN)
                : exponent == 0 ? mantissa * 0x1p-24 : (1024 + mantissa) * Math.pow(2, exponent - 25);
        return (float) (half < 0 ? -magnitude : magnitude);
    }

    /** The half nearest to a float, the even one of two. */
    private static short nearest(float value) {
        int sign = Float.floatToRawIntBits(value) < 0 ? 0x8000 : 0;
        double magnitude = Math.abs((double) value);
        if (Float.isNaN(value)) {
            return (short) (sign | 0x7E00 | Float.floatToRawIntBits(value) >> 13 & 1023);
        }
        int low = 0;
        for (int bit = 1 << 14; bit > 0; bit >>= 1) {
            int higher = low + bit;
            low = higher < 0x7C00 && plain((short) higher) <= magnitude ? higher : low;
        }
        // What would follow the largest half were its exponent not taken counts as infinity.
        double above = low == 0x7BFF ? 65536 : plain((short) (low + 1));
        double middle = (plain((short) low) + above) / 2;
        return (short) (sign | low + (magnitude > middle || magnitude == middle && (low & 1) == 1 ? 1 : 0));
    }

    @Test
    void widensEveryHalf() {
        short[] all = new short[1 << 16];
        for (int i = 0; i < all.length; i++) {
            all[i] = (short) i;
        }
        float[] wide = new float[all.length];
        HalfFloats.widen(all, 0, wide, 0, all.length);
        for (int i = 0; i < all.length; i++) {
            assertEquals(Float.floatToIntBits(plain(all[i])), Float.floatToIntBits(wide[i]), "half " + i);
        }
    }

    @Test
    void narrowsFloatsOfEveryMagnitude() {
        Random random = new Random(1);
        float[] in = new float[200_000];
        short[] expected = new short[in.length];
        for (int i = 0; i < in.length; i++) {
            // Most around the halves' range, and halfway between two of them.
            int bits = random.nextInt();
            in[i] = i % 3 == 0
                    ? Float.intBitsToFloat(bits)
                    : i % 3 == 1 ? plain((short) bits) * (1 + 0x1p-11f) : random.nextFloat() * 0x1p-13f;
            expected[i] = nearest(in[i]);
        }
        short[] actual = new short[in.length];
        HalfFloats.narrow(in, 0, actual, 0, in.length);
        assertArrayEquals(expected, actual);
    }

    @Test
    void touchesOnlyTheRun() {
        for (int count : new int[] {0, 1, 7, 16, 33}) {
            float[] wide = new float[count + 5];
            Arrays.fill(wide, 9);
            HalfFloats.widen(new short[count + 2], 2, wide, 3, count);
            short[] half = new short[count + 5];
            Arrays.fill(half, (short) 9);
            HalfFloats.narrow(new float[count + 1], 1, half, 3, count);
            for (int i = 0; i < count + 5; i++) {
                boolean inside = i >= 3 && i < 3 + count;
                assertEquals(inside ? 0 : 9, wide[i]);
                assertEquals(inside ? 0 : 9, half[i]);
            }
        }
        assertThrows(IllegalArgumentException.class, () -> HalfFloats.widen(new short[3], 0, new float[3], 1, 3));
    }
}
