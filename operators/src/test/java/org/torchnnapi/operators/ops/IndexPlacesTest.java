package org.torchnnapi.operators.ops;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.torchnnapi.operators.ops.Op.longs;
import static org.torchnnapi.operators.ops.Op.vector;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;

class IndexPlacesTest {
    private static final int[] SIZES = {4, 3, 2};

    @Test
    void neighboursStayAndOthersGoToTheFront() {
        IndexPlaces neighbours = IndexPlaces.of(SIZES, Arrays.asList(null, longs(0, -1), longs(1)));
        assertArrayEquals(new int[] {1, 2}, neighbours.dims());
        assertArrayEquals(new int[] {1, 5}, neighbours.positions());
        assertArrayEquals(new int[] {2}, neighbours.shape());
        assertEquals(1, neighbours.front());
        IndexPlaces apart = IndexPlaces.of(SIZES, Arrays.asList(longs(3, 0), null, longs(1)));
        assertArrayEquals(new int[] {7, 1}, apart.positions());
        assertEquals(0, apart.front());
    }

    @Test
    void masksArePositions() {
        IndexPlaces places = IndexPlaces.of(
                SIZES, List.of(Tensor.of(DType.BOOL, new byte[] {0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 1, 0}, 4, 3)));
        assertArrayEquals(new int[] {0, 1}, places.dims());
        assertArrayEquals(new int[] {3, 8, 10}, places.positions());
    }

    @Test
    void whatIsNotThere() {
        assertThrows(IndexOutOfBoundsException.class, () -> IndexPlaces.of(SIZES, List.of(longs(4))));
        assertThrows(
                IndexOutOfBoundsException.class,
                () -> IndexPlaces.of(SIZES, List.of(longs(0), longs(0), longs(0), longs(0))));
        assertThrows(IndexOutOfBoundsException.class, () -> IndexPlaces.of(SIZES, List.of(vector(1))));
        assertThrows(
                IndexOutOfBoundsException.class,
                () -> IndexPlaces.of(SIZES, List.of(Tensor.of(DType.BOOL, new byte[] {1, 0, 1}, 3))));
    }
}
