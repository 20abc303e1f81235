package org.torchnnapi.nnapi.op;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class AxisRowsTest {
    @Test
    void walksTheMiddleAxis() {
        AxisRows rows = AxisRows.of(new int[] {2, 3, 4}, 1);
        assertEquals(8, rows.count());
        assertEquals(3, rows.size());
        assertEquals(1, rows.index(1, 0));
        assertEquals(12 + 2 * 4 + 3, rows.index(7, 2));
    }

    @Test
    void anEmptyTensorHasNoRows() {
        assertEquals(0, AxisRows.of(new int[] {0, 3}, 1).count());
    }
}
