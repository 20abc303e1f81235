package org.torchnnapi.program.op;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.torchnnapi.program.ValueType;

class StridedViewTest {
    private final StridedView view = StridedView.of(ValueType.floats(2, 3, 4));

    @Test
    void turnsItsAxes() {
        StridedView turned = view.turned(2, 0, 1);
        assertArrayEquals(new int[] {4, 2, 3}, turned.shape());
        assertArrayEquals(new int[] {1, 12, 4}, turned.steps());
        assertFalse(turned.hasAdjacentColumns());
        assertTrue(view.hasAdjacentColumns());
        assertTrue(
                StridedView.of(ValueType.floats(3, 1)).turned(1, 0).turned(1, 0).hasAdjacentColumns());
    }

    @Test
    void slicesFromTheFrontAndTheBack() {
        StridedView sliced = view.sliced(new SliceOp(new int[] {1, 2, 0}, new int[] {1, 2, 2}, new int[] {1, -2, 2}));
        assertEquals(12 + 8, sliced.offset());
        assertArrayEquals(new int[] {12, -8, 2}, sliced.steps());
        assertEquals(12, sliced.first());
        assertEquals(22, sliced.last());
    }

    @Test
    void takesOtherShapesWithoutMovingElements() {
        assertArrayEquals(new int[] {4, 2, 1}, view.shaped(6, 2, 2).steps());
        StridedView turned = view.turned(1, 0, 2);
        assertArrayEquals(new int[] {4, 12, 2, 1}, turned.shaped(3, 2, 2, 2).steps());
        assertNull(turned.shaped(6, 4));
        assertNull(turned.shaped(3, 8));
    }

    @Test
    void countsItsMatrices() {
        StridedView heads = StridedView.of(ValueType.floats(2, 5, 3, 4)).turned(0, 2, 1, 3);
        assertEquals(6, heads.matrices());
        assertEquals(5, heads.rows());
        assertEquals(4, heads.columns());
        assertEquals(12, heads.rowStep());
        assertEquals(60 + 8, heads.matrix(5));
    }
}
