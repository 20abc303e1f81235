package org.torchnnapi.program.op;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.lang.reflect.Array;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.torchnnapi.program.ValueType;

class SliceOpTest {
    @Test
    void forwardsAndBackwards() {
        Random random = new Random(2);
        int[] shape = {3, 5, 19};
        for (ValueType type : List.of(
                ValueType.floats(shape), ValueType.ints(shape), ValueType.bytes(ByteOps.QUANTIZATIONS[0], shape))) {
            Object in = Ops.random(random, type);
            for (int attempt = 0; attempt < 40; attempt++) {
                int[] begin = new int[3];
                int[] size = new int[3];
                int[] stride = new int[3];
                for (int axis = 0; axis < 3; axis++) {
                    begin[axis] = random.nextInt(shape[axis]);
                    stride[axis] = (1 + random.nextInt(3)) * (random.nextBoolean() ? 1 : -1);
                    int room = stride[axis] > 0 ? shape[axis] - 1 - begin[axis] : begin[axis];
                    size[axis] = 1 + random.nextInt(room / Math.abs(stride[axis]) + 1);
                }
                Object actual = Ops.run(new SliceOp(begin, size, stride), List.of(type), in);
                assertEquals(size[0] * size[1] * size[2], Array.getLength(actual));
                for (int i = 0; i < Array.getLength(actual); i++) {
                    int[] places = Places.of(i, size);
                    for (int axis = 0; axis < 3; axis++) {
                        places[axis] = begin[axis] + places[axis] * stride[axis];
                    }
                    assertEquals(
                            Array.get(in, Places.index(places, shape)), Array.get(actual, i), type + " element " + i);
                }
            }
        }
        ValueType row = ValueType.floats(4);
        assertThrows(
                IllegalArgumentException.class,
                () -> new SliceOp(new int[] {2}, new int[] {3}, new int[] {1}).result(List.of(row)));
        assertThrows(
                IllegalArgumentException.class,
                () -> new SliceOp(new int[] {0}, new int[] {1}, new int[] {0}).result(List.of(row)));
    }
}
