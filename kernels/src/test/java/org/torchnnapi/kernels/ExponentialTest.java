package org.torchnnapi.kernels;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Random;
import org.junit.jupiter.api.Test;

class ExponentialTest {
    @Test
    void equalsTheStrictOneToTheBit() {
        Random random = new Random(1);
        for (int i = 0; i < 100_000; i++) {
            double x = (random.nextFloat() - 0.5) * (i % 3 == 0 ? 300 : 2);
            same(x);
        }
        for (double x : new double[] {
            0, -0.0, 1, 88.8, -104, Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY, 1e300
        }) {
            same(x);
        }
        // Halfway between two floats, as near as doubles come.
        for (int i = 0; i < 10_000; i++) {
            float result = 1 + random.nextFloat();
            same(Math.log((result + (double) Math.nextUp(result)) / 2));
        }
    }

    private static void same(double x) {
        assertEquals(
                Float.floatToRawIntBits((float) StrictMath.exp(x)),
                Float.floatToRawIntBits(Exponential.rounded(x)),
                "exp(" + x + ")");
    }
}
