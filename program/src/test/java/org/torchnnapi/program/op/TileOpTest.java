package org.torchnnapi.program.op;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.lang.reflect.Array;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.torchnnapi.program.ValueType;

class TileOpTest {
    @Test
    void everyAxis() {
        Random random = new Random(6);
        for (ValueType type : List.of(
                ValueType.floats(2, 3, 1),
                ValueType.ints(2, 3, 1),
                ValueType.bytes(ByteOps.QUANTIZATIONS[0], 2, 3, 1))) {
            Object in = Ops.random(random, type);
            for (int[] times : new int[][] {{1, 1, 1}, {2, 1, 5}, {3, 4, 1}, {2, 3, 4}}) {
                Object actual = Ops.run(new TileOp(times), List.of(type), in);
                int columns = times[2];
                int rows = 3 * times[1];
                assertEquals(2 * times[0] * rows * columns, Array.getLength(actual));
                for (int i = 0; i < Array.getLength(actual); i++) {
                    assertEquals(
                            Array.get(in, i / columns / rows % 2 * 3 + i / columns % rows % 3), Array.get(actual, i));
                }
            }
        }
        assertThrows(
                IllegalArgumentException.class,
                () -> new TileOp(new int[] {2, 0}).result(List.of(ValueType.floats(2, 2))));
    }
}
