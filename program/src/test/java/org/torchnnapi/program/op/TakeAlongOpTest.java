package org.torchnnapi.program.op;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.lang.reflect.Array;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.torchnnapi.program.ValueType;

class TakeAlongOpTest {
    @Test
    void ofEachRowItsOwn() {
        Random random = new Random(7);
        for (ValueType type : List.of(
                ValueType.floats(2, 3, 17),
                ValueType.ints(2, 3, 17),
                ValueType.bytes(ByteOps.QUANTIZATIONS[0], 2, 3, 17))) {
            for (int taken : new int[] {1, 5, 17, 40}) {
                Object in = Ops.random(random, type);
                int[] places = random.ints(6L * taken, 0, 17).toArray();
                Object actual = Ops.run(new TakeAlongOp(), List.of(type, ValueType.ints(2, 3, taken)), in, places);
                for (int i = 0; i < places.length; i++) {
                    assertEquals(
                            Array.get(in, i / taken * 17 + places[i]), Array.get(actual, i), type + " element " + i);
                }
            }
        }
        assertThrows(
                IllegalArgumentException.class,
                () -> new TakeAlongOp().result(List.of(ValueType.floats(2, 3), ValueType.ints(3, 2))));
    }

    @Test
    void failsWhereAPlaceIsNotThere() {
        List<ValueType> types = List.of(ValueType.floats(2, 3), ValueType.ints(2, 1));
        assertThrows(
                IllegalArgumentException.class,
                () -> Ops.run(new TakeAlongOp(), types, new float[6], new int[] {0, 3}));
        assertThrows(
                IllegalArgumentException.class,
                () -> Ops.run(new TakeAlongOp(), types, new float[6], new int[] {-1, 0}));
    }
}
