package org.torchnnapi.program.op;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.torchnnapi.program.ImageStorage;
import org.torchnnapi.program.ValueType;

class ReducedAxesTest {
    private static final ValueType IMAGES = ValueType.floats(2, 3, 4, 5);

    @Test
    void countsWhatLiesOutsideAndInside() {
        assertEquals(new ReducedAxes(2, 4, 6, 20, 1), ReducedAxes.of(IMAGES, new int[] {-1, 2}));
        assertEquals(new ReducedAxes(1, 2, 2, 3, 20), ReducedAxes.of(IMAGES, new int[] {1, 1}));
        assertEquals(new ReducedAxes(0, 4, 1, 120, 1), ReducedAxes.of(IMAGES, new int[] {3, 1, 0, 2}));
    }

    @Test
    void runsBeginWhereTheirAxesAreZero() {
        ReducedAxes axes = ReducedAxes.of(IMAGES, new int[] {1});
        assertEquals(40, axes.runs());
        assertEquals(0, axes.first(0));
        assertEquals(19, axes.first(19));
        assertEquals(60, axes.first(20));
        assertEquals(79, axes.first(39));
    }

    @Test
    void axesOfOneElementMayLieBetween() {
        assertEquals(new ReducedAxes(0, 3, 1, 8, 5), ReducedAxes.of(ValueType.floats(2, 1, 4, 5), new int[] {0, 2}));
        IllegalArgumentException e =
                assertThrows(IllegalArgumentException.class, () -> ReducedAxes.of(IMAGES, new int[] {0, 2}));
        assertTrue(e.getMessage().contains("adjacent"), e.getMessage());
    }

    @Test
    void resultsLoseTheAxesOrKeepThemWithOneElement() {
        assertEquals(ValueType.floats(2, 3), ReducedAxes.result(IMAGES, new int[] {2, 3}, false));
        assertEquals(ValueType.floats(2, 3, 1, 1), ReducedAxes.result(IMAGES, new int[] {2, 3}, true));
        assertThrows(IllegalArgumentException.class, () -> ReducedAxes.result(IMAGES, new int[] {0, 2}, true));
        assertThrows(IllegalArgumentException.class, () -> ReducedAxes.result(IMAGES, new int[] {4}, true));
    }

    @Test
    void heightAndWidthAreWhereTheImagesAreDeclaredToHaveThem() {
        ReducedAxes last = ReducedAxes.of(IMAGES, new int[] {2, 3});
        assertTrue(last.isSpatial(IMAGES, ImageStorage.CHANNELS_LAST));
        assertTrue(last.isSpatial(IMAGES, ImageStorage.BLOCKED_NCHW));
        assertFalse(last.isSpatial(IMAGES, ImageStorage.CHANNELS_FIRST));
        assertFalse(last.isSpatial(IMAGES, ImageStorage.DECLARED));
        assertTrue(ReducedAxes.of(IMAGES, new int[] {1, 2}).isSpatial(IMAGES, ImageStorage.CHANNELS_FIRST));
        assertFalse(ReducedAxes.of(IMAGES, new int[] {1, 2, 3}).isSpatial(IMAGES, ImageStorage.CHANNELS_FIRST));
    }
}
