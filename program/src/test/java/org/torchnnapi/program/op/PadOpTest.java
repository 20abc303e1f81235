package org.torchnnapi.program.op;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.lang.reflect.Array;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.torchnnapi.program.ValueType;

class PadOpTest {
    @Test
    void everySide() {
        Random random = new Random(1);
        int[] shape = {2, 1, 3, 17};
        for (ValueType type : List.of(ValueType.floats(shape), ValueType.bytes(ByteOps.QUANTIZATIONS[1], shape))) {
            for (int attempt = 0; attempt < 20; attempt++) {
                int[] before = random.ints(4, 0, 4).toArray();
                int[] after = random.ints(4, 0, 4).toArray();
                Object in = Ops.random(random, type);
                PadOp pad = new PadOp(before, after, -9);
                Object actual = Ops.run(pad, List.of(type), in);
                int[] padded = pad.result(List.of(type)).shape();
                for (int i = 0; i < Array.getLength(actual); i++) {
                    int[] places = Places.of(i, padded);
                    boolean inside = true;
                    for (int axis = 0; axis < 4; axis++) {
                        places[axis] -= before[axis];
                        inside &= places[axis] >= 0 && places[axis] < shape[axis];
                    }
                    double expected = inside ? ((Number) Array.get(in, Places.index(places, shape))).doubleValue() : -9;
                    assertEquals(expected, ((Number) Array.get(actual, i)).doubleValue(), type + " element " + i);
                }
            }
        }
        assertThrows(
                IllegalArgumentException.class,
                () -> new PadOp(new int[] {-1}, new int[] {0}, 0).result(List.of(ValueType.floats(3))));
        assertThrows(
                IllegalArgumentException.class,
                () -> new PadOp(new int[1], new int[1], 0).result(List.of(ValueType.ints(3))));
    }
}
