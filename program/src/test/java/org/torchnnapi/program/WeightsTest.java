package org.torchnnapi.program;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.junit.jupiter.api.Test;

class WeightsTest {
    private final float[] values = {1, 2, 3, 4, 5, 6};

    @Test
    void anArrayIsItself() {
        Weights weights = Weights.of(values);
        assertEquals(6, weights.length());
        assertSame(values, weights.values());
        assertNotSame(values, weights.copy());
    }

    @Test
    void storedOnesAreReadWhereTheyLie() {
        ByteBuffer bytes = ByteBuffer.allocate(4 * 4).order(ByteOrder.LITTLE_ENDIAN).putFloat(9).putFloat(1).putFloat(2).putFloat(3).position(4);
        Weights weights = Weights.stored(bytes.asReadOnlyBuffer().order(ByteOrder.LITTLE_ENDIAN));
        assertEquals(3, weights.length());
        assertArrayEquals(new float[] {1, 2, 3}, weights.values());
        assertArrayEquals(new float[] {1, 2, 3}, weights.copy());
        assertArrayEquals(new float[] {2, 6, 12}, weights.scaled(2, 3, 4).values());
        assertArrayEquals(new float[] {1, 2, 3}, weights.values());
    }

    @Test
    void factorsAreForEqualParts() {
        Weights scaled = Weights.of(values).scaled(10, 0.5f).scaled(1, 2, -1);
        assertEquals(6, scaled.length());
        assertArrayEquals(new float[] {10, 20, 60, 4, -2.5f, -3}, scaled.values());
        assertArrayEquals(scaled.values(), scaled.copy());
        assertArrayEquals(new float[] {1, 2, 3, 4, 5, 6}, values, "the array stays as it was");
    }

    @Test
    void whatIsNoNumberStaysSo() {
        float[] odd = {Float.NaN, Float.POSITIVE_INFINITY, -0f, Float.NEGATIVE_INFINITY, 0, Float.NaN};
        assertArrayEquals(new float[] {Float.NaN, Float.POSITIVE_INFINITY, -0f, Float.POSITIVE_INFINITY, Float.NaN, Float.NaN},
            Weights.of(odd).scaled(2, Float.NEGATIVE_INFINITY).values());
    }
}
