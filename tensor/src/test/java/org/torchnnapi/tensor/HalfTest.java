package org.torchnnapi.tensor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HalfTest {
    /** Numbers of IEEE 754 binary16: one, the largest, the smallest normal and subnormal, ties to even, overflow. */
    @ParameterizedTest
    @CsvSource({
        "1, 3c00",
        "-2, c000",
        "65504, 7bff",
        "65520, 7c00",
        "65519.996, 7bff",
        "6.103515625e-5, 400",
        "5.9604644775390625e-8, 1",
        "2.9802322387695312e-8, 0",
        "2.98023260404e-8, 1",
        "1.00048828125, 3c00",
        "1.00146484375, 3c02",
        "0, 0",
        "-0.0, 8000"
    })
    void narrowsToNearestEven(float value, String bits) {
        assertEquals(bits, Integer.toHexString(Half.fromFloat(value) & 0xFFFF));
    }

    @Test
    void everyHalfSurvivesTheRoundTrip() {
        for (int bits = 0; bits < 1 << 16; bits++) {
            float wide = Half.toFloat((short) bits);
            if (Float.isNaN(wide)) {
                assertTrue(Float.isNaN(Half.toFloat(Half.fromFloat(wide))));
            } else {
                assertEquals((short) bits, Half.fromFloat(wide), "bits " + Integer.toHexString(bits));
            }
        }
    }

    @Test
    void everyBfloatSurvivesTheRoundTrip() {
        for (int bits = 0; bits < 1 << 16; bits++) {
            float wide = Half.bfloatToFloat((short) bits);
            if (Float.isNaN(wide)) {
                assertTrue(Float.isNaN(Half.bfloatToFloat(Half.bfloatFromFloat(wide))));
            } else {
                assertEquals((short) bits, Half.bfloatFromFloat(wide), "bits " + Integer.toHexString(bits));
            }
        }
    }

    @Test
    void bfloatRoundsTiesToEven() {
        assertEquals((short) 0x3F80, Half.bfloatFromFloat(Float.intBitsToFloat(0x3F808000)));
        assertEquals((short) 0x3F82, Half.bfloatFromFloat(Float.intBitsToFloat(0x3F818000)));
    }
}
