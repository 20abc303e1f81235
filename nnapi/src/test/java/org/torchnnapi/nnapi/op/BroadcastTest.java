package org.torchnnapi.nnapi.op;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class BroadcastTest {
    private static List<String> visits(int[] a, int[] b, int[] out) {
        List<String> visits = new ArrayList<>();
        Broadcast.forEach(a, b, out, (i, j, k) -> visits.add(i + ":" + j + "," + k));
        return visits;
    }

    @Test
    void stretchesBothSides() {
        assertEquals(
                List.of("0:0,0", "1:0,1", "2:1,0", "3:1,1"), visits(new int[] {2, 1}, new int[] {2}, new int[] {2, 2}));
    }

    @Test
    void anEmptyShapeIsNotVisited() {
        assertEquals(List.of(), visits(new int[] {0, 2}, new int[] {2}, new int[] {0, 2}));
    }
}
