package org.torchnnapi.tensor;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class ShapeTest {
    @Test
    void countsElements() {
        assertEquals(1, Shape.numel());
        assertEquals(24, Shape.numel(2, 3, 4));
        assertEquals(0, Shape.numel(Integer.MAX_VALUE, Integer.MAX_VALUE, 0, Integer.MAX_VALUE));
        assertThrows(IllegalArgumentException.class, () -> Shape.numel(2, -1));
        assertThrows(
                IllegalArgumentException.class,
                () -> Shape.numel(Integer.MAX_VALUE, Integer.MAX_VALUE, Integer.MAX_VALUE));
    }

    @Test
    void stridesFollowTheMemoryFormat() {
        assertArrayEquals(new int[] {60, 20, 5, 1}, Shape.contiguousStrides(2, 3, 4, 5));
        assertArrayEquals(new int[] {60, 1, 15, 3}, Shape.strides(MemoryFormat.CHANNELS_LAST, 2, 3, 4, 5));
        assertArrayEquals(new int[] {120, 1, 60, 15, 3}, Shape.strides(MemoryFormat.CHANNELS_LAST_3D, 1, 3, 2, 4, 5));
        assertArrayEquals(new int[] {1, 1}, Shape.contiguousStrides(2, 0));
        assertThrows(IllegalArgumentException.class, () -> Shape.strides(MemoryFormat.CHANNELS_LAST, 2, 3));
    }

    @Test
    void contiguityIgnoresDimensionsOfOne() {
        assertTrue(Shape.isContiguous(new int[] {1, 3, 1, 5}, new int[] {7, 5, 99, 1}, MemoryFormat.CONTIGUOUS));
        assertTrue(Shape.isContiguous(new int[] {2, 3, 4, 5}, new int[] {60, 1, 15, 3}, MemoryFormat.CHANNELS_LAST));
        assertFalse(Shape.isContiguous(new int[] {2, 3, 4, 5}, new int[] {60, 1, 15, 3}, MemoryFormat.CONTIGUOUS));
        assertTrue(Shape.isContiguous(new int[] {0, 3}, new int[] {9, 9}, MemoryFormat.CONTIGUOUS));
        assertTrue(Shape.isContiguous(
                new int[] {2, 3, 4, 5, 6}, new int[] {360, 1, 90, 18, 3}, MemoryFormat.CHANNELS_LAST_3D));
        assertFalse(Shape.isContiguous(
                new int[] {2, 3, 4, 5, 6}, new int[] {360, 120, 30, 6, 1}, MemoryFormat.CHANNELS_LAST_3D));
        assertFalse(Shape.isContiguous(new int[] {2, 3, 4}, new int[] {12, 1, 3}, MemoryFormat.CHANNELS_LAST));
        assertTrue(Shape.isContiguous(new int[] {}, new int[] {}, MemoryFormat.CONTIGUOUS));
    }

    @Test
    void wrapsDimensions() {
        assertEquals(2, Shape.wrap(-1, 3));
        assertEquals(0, Shape.wrap(-1, 0));
        assertThrows(IndexOutOfBoundsException.class, () -> Shape.wrap(3, 3));
        assertThrows(IndexOutOfBoundsException.class, () -> Shape.wrap(-4, 3));
    }

    @Test
    void narrowsSizes() {
        assertArrayEquals(new int[] {7, -1}, Shape.toInts(7, -1));
        assertThrows(IllegalArgumentException.class, () -> Shape.toInts(1L << 32));
    }
}
