package org.torchnnapi.kernels.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BandsTest {
    @ParameterizedTest
    @CsvSource({
        "196, 42, 196, 49",
        "784, 42, 784, 98",
        "49, 42, 49, 49",
        "49, 10, 25, 13",
        "14, 3, 14, 7",
        "28, 2, 28, 7",
        "112, 1, 112, 14",
        "7, 6, 7, 7",
        "13, 4, 13, 13",
        "1, 42, 1, 1",
        "112, 1, 4, 4",
        "0, 1, 1, 1"
    })
    void cutsEvenly(int length, int least, int most, int expected) {
        assertEquals(expected, Bands.length(length, least, most));
    }

    @Test
    void isNeitherTooShortNorTooLong() {
        for (int length = 1; length < 300; length++) {
            for (int least = 1; least < 60; least += 7) {
                for (int most = 1; most <= length; most += 13) {
                    int band = Bands.length(length, least, most);
                    int bands = (length + band - 1) / band;
                    assertTrue(band <= most, () -> "no longer than allowed: " + band);
                    assertTrue(
                            band >= least || bands == (length + most - 1) / most,
                            () -> "no shorter than need be: " + band);
                }
            }
        }
    }
}
