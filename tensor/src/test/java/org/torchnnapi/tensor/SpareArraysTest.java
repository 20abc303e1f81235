package org.torchnnapi.tensor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class SpareArraysTest {
    private final SpareArrays spare = new SpareArrays();

    @Test
    void whatWasGivenBackIsUsedAgain() {
        Storage first = spare.allocate(DType.FLOAT32, 10);
        assertEquals(10, first.length());
        assertNotSame(first.array(), spare.allocate(DType.FLOAT32, 10).array(), "it is in use");
        spare.giveBack(first);
        assertSame(first.array(), spare.allocate(DType.FLOAT32, 10).array());
        assertNotSame(first.array(), spare.allocate(DType.FLOAT32, 10).array(), "it is in use again");
    }

    @Test
    void otherTypesAndSizesAreNewMemory() {
        spare.giveBack(Storage.allocate(DType.QUINT8, 10));
        assertEquals(DType.QINT8, spare.allocate(DType.QINT8, 10).dtype());
        assertEquals(11, spare.allocate(DType.QUINT8, 11).length());
        assertEquals(20, spare.allocate(DType.COMPLEX64, 20).length());
    }

    @Test
    void theLastFewStay() {
        List<Storage> all = new ArrayList<>();
        for (int size = 1; size <= 9; size++) {
            all.add(Storage.allocate(DType.INT64, size));
            spare.giveBack(all.get(size - 1));
        }
        assertSame(all.get(8).array(), spare.allocate(DType.INT64, 9).array());
        assertSame(all.get(5).array(), spare.allocate(DType.INT64, 6).array());
        assertNotSame(all.get(0).array(), spare.allocate(DType.INT64, 1).array());
    }
}
