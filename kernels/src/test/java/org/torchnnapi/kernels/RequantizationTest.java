package org.torchnnapi.kernels;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Random;
import org.junit.jupiter.api.Test;

class RequantizationTest {
    @Test
    void halvesGoToEven() {
        Requantization rule = Requantization.halfEven(new float[] {0.5f}, 10, 0, 255);
        assertEquals(10, rule.apply(1, 0));
        assertEquals(12, rule.apply(3, 0));
        assertEquals(10, rule.apply(-1, 0));
        assertEquals(255, rule.apply(Integer.MAX_VALUE, 0));
        assertEquals(0, rule.apply(Integer.MIN_VALUE, 0));
    }

    @Test
    void fixedPointRoundsHalvesAwayFromZero() {
        Requantization rule = Requantization.fixedPoint(new double[] {0.25}, 100, 0, 255);
        assertEquals(1 << 30, rule.multiplier(0));
        assertEquals(-1, rule.shift(0));
        assertEquals(101, rule.apply(2, 0));
        assertEquals(99, rule.apply(-2, 0));
        assertEquals(102, rule.apply(6, 0));
        assertEquals(101, rule.apply(1, 0), "0.25 rounds up twice: to 0.5, then to 1");
    }

    /** The two roundings one after the other, in exact arithmetic. */
    @Test
    void fixedPointEqualsExactArithmetic() {
        Random random = new Random(1);
        for (int i = 0; i < 20_000; i++) {
            double real = Math.scalb(0.5 + random.nextDouble() / 2, random.nextInt(20) - 17);
            Requantization rule = Requantization.fixedPoint(new double[] {real}, 3, -128, 127);
            int sum = random.nextInt(1 << 20) - (1 << 19) >> random.nextInt(16);
            int left = Math.max(rule.shift(0), 0);
            BigDecimal high = BigDecimal.valueOf((long) sum << left).multiply(BigDecimal.valueOf(rule.multiplier(0)))
                .add(BigDecimal.valueOf((long) sum * rule.multiplier(0) >= 0 ? 1L << 30 : 1 - (1L << 30)))
                .divideToIntegralValue(BigDecimal.valueOf(1L << 31));
            BigDecimal scaled = high.divide(BigDecimal.valueOf(1L << Math.max(-rule.shift(0), 0)), 0, RoundingMode.HALF_UP);
            int expected = (int) Math.min(Math.max(scaled.longValueExact() + 3, -128), 127);
            assertEquals(expected, rule.apply(sum, 0), sum + " * " + real);
        }
    }

    @Test
    void tinyMultipliersVanishAndHugeOnesAreRefused() {
        assertEquals(7, Requantization.fixedPoint(new double[] {1e-12}, 7, 0, 255).apply(Integer.MAX_VALUE, 0));
        assertEquals(7, Requantization.fixedPoint(new double[] {0}, 7, 0, 255).apply(Integer.MAX_VALUE, 0));
        assertThrows(IllegalArgumentException.class, () -> Requantization.fixedPoint(new double[] {1e12}, 7, 0, 255));
        assertThrows(IllegalArgumentException.class, () -> Requantization.fixedPoint(new double[] {-1}, 7, 0, 255));
    }

    @Test
    void limitsOnceMore() {
        Requantization wide = Requantization.halfEven(new float[] {1}, 10, 0, 255);
        for (int[] limits : new int[][] {{10, 70}, {0, 5}, {250, 255}}) {
            Requantization limited = wide.limited(limits[0], limits[1]);
            for (int sum = -300; sum < 300; sum += 7) {
                assertEquals(Math.min(Math.max(wide.apply(sum, 0), limits[0]), limits[1]), limited.apply(sum, 0));
            }
        }
        Requantization narrow = wide.limited(20, 30).limited(40, 50);
        assertEquals(40, narrow.apply(0, 0));
        assertEquals(40, narrow.apply(100, 0));
    }
}
