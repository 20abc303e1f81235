package org.torchnnapi.tensor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class QuantizationTest {
    @ParameterizedTest
    @ValueSource(doubles = {0, -1, Double.NaN, Double.POSITIVE_INFINITY})
    void refusesScalesThatAreNone(double scale) {
        assertThrows(IllegalArgumentException.class, () -> new Quantization.PerTensor(scale, 0));
        assertThrows(
                IllegalArgumentException.class,
                () -> new Quantization.PerChannel(new double[] {1, scale}, new double[2], 0, false));
    }

    @Test
    void wantsAZeroPointForEachScale() {
        IllegalArgumentException e = assertThrows(
                IllegalArgumentException.class,
                () -> new Quantization.PerChannel(new double[] {1, 1}, new double[1], 0, false));
        assertEquals("zero points: 1 (expected: one per scale, 2)", e.getMessage());
    }
}
