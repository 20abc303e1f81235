package org.torchnnapi.program.op;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.torchnnapi.program.ValueType;

class BroadcastingTest {
    private static int[] shape(int[] a, int[] b) {
        return Broadcasting.shape(ValueType.floats(a), ValueType.floats(b));
    }

    @Test
    void shapesAreThoseOfNumPy() {
        assertArrayEquals(new int[] {2, 3}, shape(new int[] {2, 3}, new int[] {2, 3}));
        assertArrayEquals(new int[] {4, 2, 3}, shape(new int[] {2, 1}, new int[] {4, 1, 3}));
        assertArrayEquals(new int[] {5}, shape(new int[] {}, new int[] {5}));
        assertThrows(IllegalArgumentException.class, () -> shape(new int[] {2, 3}, new int[] {2}));
    }

    @Test
    void repeatedAxesHaveNoStep() {
        assertArrayEquals(new int[] {0, 1, 0}, Broadcasting.steps(new int[] {2, 1}, new int[] {4, 2, 3}));
        assertArrayEquals(new int[] {6, 3, 1}, Broadcasting.steps(new int[] {4, 2, 3}, new int[] {4, 2, 3}));
    }

    @Test
    void repeatsOfTheWholeAreCounted() {
        ValueType whole = ValueType.floats(4, 2, 3);
        assertEquals(4, Broadcasting.times(ValueType.floats(2, 3), whole));
        assertEquals(8, Broadcasting.times(ValueType.floats(1, 1, 3), whole));
        assertEquals(1, Broadcasting.times(ValueType.floats(1, 2, 3), ValueType.floats(1, 2, 3)));
        assertEquals(0, Broadcasting.times(ValueType.floats(2, 1), whole));
        assertEquals(0, Broadcasting.times(ValueType.floats(4, 1, 3), whole));
    }

    @Test
    void repeatsOfEachElementAreCounted() {
        ValueType whole = ValueType.floats(4, 2, 3);
        assertEquals(3, Broadcasting.timesEach(ValueType.floats(4, 2, 1), whole));
        assertEquals(6, Broadcasting.timesEach(ValueType.floats(4, 1, 1), whole));
        assertEquals(0, Broadcasting.timesEach(ValueType.floats(2, 1), whole));
        assertEquals(0, Broadcasting.timesEach(ValueType.floats(4, 1, 3), whole));
    }

    @Test
    void valuesOfChannelsAreTold() {
        ValueType images = ValueType.floats(2, 5, 3, 4);
        assertTrue(Broadcasting.isPerChannel(ValueType.floats(5, 1, 1), images, 1));
        assertTrue(Broadcasting.isPerChannel(ValueType.floats(2, 5, 1, 1), images, 1));
        assertTrue(Broadcasting.isPerChannel(ValueType.floats(4), images, 3));
        assertFalse(Broadcasting.isPerChannel(ValueType.floats(4), images, 1));
        assertFalse(Broadcasting.isPerChannel(ValueType.floats(5, 1, 4), images, 1));
    }
}
