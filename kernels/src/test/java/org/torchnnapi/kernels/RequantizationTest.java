package org.torchnnapi.kernels;

import static org.junit.jupiter.api.Assertions.assertEquals;

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
