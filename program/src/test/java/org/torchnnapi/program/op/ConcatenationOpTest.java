package org.torchnnapi.program.op;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.lang.reflect.Array;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.torchnnapi.program.ValueType;

class ConcatenationOpTest {
    @Test
    void alongEveryAxis() {
        Random random = new Random(3);
        int[] shape = {2, 3, 1, 7};
        for (ValueType type : List.of(
                ValueType.floats(shape), ValueType.ints(shape), ValueType.bytes(ByteOps.QUANTIZATIONS[1], shape))) {
            for (int axis = -4; axis < 4; axis++) {
                int along = axis < 0 ? axis + 4 : axis;
                List<ValueType> types = new ArrayList<>();
                Object[] inputs = new Object[3];
                for (int i = 0; i < 3; i++) {
                    int[] part = shape.clone();
                    part[along] = 1 + 2 * i;
                    types.add(type.withShape(part));
                    inputs[i] = Ops.random(random, types.get(i));
                }
                int[] joined = shape.clone();
                joined[along] = 9;
                Object actual = Ops.run(new ConcatenationOp(axis), types, inputs);
                for (int i = 0; i < Array.getLength(actual); i++) {
                    int[] places = Places.of(i, joined);
                    int input = places[along] < 1 ? 0 : places[along] < 4 ? 1 : 2;
                    places[along] -= input * input;
                    assertEquals(
                            Array.get(
                                    inputs[input],
                                    Places.index(places, types.get(input).shape())),
                            Array.get(actual, i),
                            type + " along " + axis);
                }
            }
        }
        assertThrows(
                IllegalArgumentException.class,
                () -> new ConcatenationOp(0).result(List.of(ValueType.floats(2, 3), ValueType.floats(2, 4))));
        assertThrows(
                IllegalArgumentException.class,
                () -> new ConcatenationOp(0).result(List.of(ValueType.floats(2), ValueType.ints(2))));
    }
}
