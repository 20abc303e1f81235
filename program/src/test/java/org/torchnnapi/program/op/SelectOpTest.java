package org.torchnnapi.program.op;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.lang.reflect.Array;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.torchnnapi.program.ValueType;

class SelectOpTest {
    @Test
    void ofEveryKind() {
        Random random = new Random(2);
        for (ValueType type : List.of(
                ValueType.floats(3, 11), ValueType.ints(33), ValueType.bytes(ByteOps.QUANTIZATIONS[1], 1, 3, 11))) {
            ValueType flags = ValueType.flags(type.shape());
            Object condition = Ops.random(random, flags);
            Object a = Ops.random(random, type);
            Object b = Ops.random(random, type);
            Object actual = Ops.run(new SelectOp(), List.of(flags, type, type), condition, a, b);
            for (int i = 0; i < 33; i++) {
                assertEquals(
                        Array.get(((byte[]) condition)[i] != 0 ? a : b, i),
                        Array.get(actual, i),
                        type + " element " + i);
            }
        }
        ValueType flags = ValueType.flags(2, 1, 3);
        for (ValueType a :
                List.of(ValueType.floats(2, 4, 3), ValueType.floats(), ValueType.floats(4, 1), ValueType.floats(3))) {
            ValueType b = ValueType.floats(1, 4, 3);
            byte[] condition = (byte[]) Ops.random(random, flags);
            float[] yes = (float[]) Ops.random(random, a);
            float[] no = (float[]) Ops.random(random, b);
            float[] actual = (float[]) Ops.run(new SelectOp(), List.of(flags, a, b), condition, yes, no);
            int[] steps = Broadcasting.steps(a.shape(), new int[] {2, 4, 3});
            for (int i = 0; i < 24; i++) {
                int at = i / 12 * steps[0] + i / 3 % 4 * steps[1] + i % 3 * steps[2];
                assertEquals(condition[i / 12 * 3 + i % 3] != 0 ? yes[at] : no[i % 12], actual[i], a + " element " + i);
            }
        }
        assertThrows(
                IllegalArgumentException.class,
                () -> new SelectOp().result(List.of(ValueType.flags(2), ValueType.floats(3), ValueType.floats(3))));
    }
}
