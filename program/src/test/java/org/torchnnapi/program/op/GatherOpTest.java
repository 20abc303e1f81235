package org.torchnnapi.program.op;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.lang.reflect.Array;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.torchnnapi.program.ValueType;

class GatherOpTest {
    @Test
    void alongEveryAxis() {
        Random random = new Random(3);
        for (ValueType type : List.of(
                ValueType.floats(3, 4, 5),
                ValueType.ints(3, 4, 5),
                ValueType.bytes(ByteOps.QUANTIZATIONS[0], 3, 4, 5))) {
            for (int axis = -1; axis < 3; axis++) {
                int along = axis < 0 ? 2 : axis;
                int extent = type.dimension(along);
                int inner = type.count(along + 1, 3);
                int[] indexes = random.ints(6, 0, extent).toArray();
                Object in = Ops.random(random, type);
                Object actual = Ops.run(new GatherOp(axis), List.of(type, ValueType.ints(2, 3)), in, indexes);
                assertEquals(60 / extent * 6, Array.getLength(actual));
                for (int i = 0; i < Array.getLength(actual); i++) {
                    int from = (i / inner / 6 * extent + indexes[i / inner % 6]) * inner + i % inner;
                    assertEquals(Array.get(in, from), Array.get(actual, i), "axis " + axis + " element " + i);
                }
            }
        }
    }

    @Test
    void failsWhereAnIndexIsNotThere() {
        List<ValueType> types = List.of(ValueType.floats(3), ValueType.ints(1));
        assertThrows(
                IllegalArgumentException.class, () -> Ops.run(new GatherOp(0), types, new float[3], new int[] {3}));
        assertThrows(
                IllegalArgumentException.class, () -> Ops.run(new GatherOp(0), types, new float[3], new int[] {-1}));
    }
}
