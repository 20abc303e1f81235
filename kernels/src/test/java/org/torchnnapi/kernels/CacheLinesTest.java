package org.torchnnapi.kernels;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class CacheLinesTest {
    /** Objects begin at multiples of 8, and so do elements, or 4 after one where headers are compact. */
    @Test
    void linesBeginWithinAnArraysFirstLine() {
        List<Object> kept = new ArrayList<>();
        Set<Integer> places = new TreeSet<>();
        for (int length = 0; length < 400; length++) {
            float[] floats = new float[length];
            byte[] bytes = new byte[length];
            kept.add(floats);
            kept.add(bytes);
            int first = CacheLines.first(floats);
            int firstByte = CacheLines.first(bytes);
            assertTrue(first >= 0 && first < CacheLines.BYTES / Float.BYTES, first + " floats");
            assertTrue(
                    firstByte >= 0 && firstByte < CacheLines.BYTES && firstByte % Float.BYTES == 0,
                    firstByte + " bytes");
            places.add(first);
        }
        // Arrays whose addresses are known begin anywhere in a line; those whose are not all seem to begin alike.
        assertTrue(
                places.size() == 1 ? places.contains(12) : places.size() > 3,
                places + " of " + kept.size() + " arrays");
    }

    @Test
    void emptyAndLargeArraysHaveOneToo() {
        assertTrue(CacheLines.first(new byte[0]) < CacheLines.BYTES);
        float[] large = new float[1 << 22];
        assertEquals(CacheLines.first(large), CacheLines.first(large));
    }
}
