package org.torchnnapi.program.op;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.lang.reflect.Array;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.torchnnapi.program.ValueType;

class SelectTest {
    @Test
    void ofEveryKind() {
        Random random = new Random(2);
        for (ValueType type : List.of(ValueType.floats(3, 11), ValueType.ints(33), ValueType.bytes(ByteOps.QUANTIZATIONS[1], 1, 3, 11))) {
            ValueType flags = ValueType.flags(type.shape());
            Object condition = Ops.random(random, flags);
            Object a = Ops.random(random, type);
            Object b = Ops.random(random, type);
            Object actual = Ops.run(new Select(), List.of(flags, type, type), condition, a, b);
            for (int i = 0; i < 33; i++) {
                assertEquals(Array.get(((byte[]) condition)[i] != 0 ? a : b, i), Array.get(actual, i), type + " element " + i);
            }
        }
        assertThrows(IllegalArgumentException.class, () -> new Select().result(List.of(ValueType.flags(2), ValueType.floats(3), ValueType.floats(3))));
    }
}
