package org.torchnnapi.nnapi.op;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class DimsTest {
    @Test
    void products() {
        assertEquals(24, Dims.product(new int[] {2, 3, 4}));
        assertEquals(1, Dims.product(new int[0]));
        assertEquals(12, Dims.product(new int[] {2, 3, 4}, 1, 3));
        assertThrows(ArithmeticException.class, () -> Dims.product(new int[] {1 << 20, 1 << 20}));
    }

    @Test
    void broadcasting() {
        assertArrayEquals(new int[] {2, 3}, Dims.broadcast(new int[] {2, 1}, new int[] {3}));
        assertArrayEquals(new int[] {0, 3}, Dims.broadcast(new int[] {0, 1}, new int[] {1, 3}));
        assertNull(Dims.broadcast(new int[] {2}, new int[] {3}));
        assertArrayEquals(new int[] {0, 1}, Dims.broadcastStrides(new int[] {3}, new int[] {2, 3}));
        assertArrayEquals(new int[] {1, 0}, Dims.broadcastStrides(new int[] {2, 1}, new int[] {2, 3}));
    }

    @Test
    void everyPairIsVisitedInOrder() {
        List<String> visited = new ArrayList<>();
        Broadcast.forEach(
                new int[] {2, 1}, new int[] {3}, new int[] {2, 3}, (out, a, b) -> visited.add(out + ":" + a + b));
        assertEquals(List.of("0:00", "1:01", "2:02", "3:10", "4:11", "5:12"), visited);
    }

    @Test
    void positionsRunRowMajor() {
        int[] dims = {2, 2};
        int[] position = new int[2];
        int[] strides = Dims.strides(dims);
        for (int i = 0; i < 4; i++) {
            assertEquals(i, Dims.offset(position, strides));
            Dims.next(position, dims);
        }
        assertArrayEquals(new int[] {0, 0}, position);
    }
}
