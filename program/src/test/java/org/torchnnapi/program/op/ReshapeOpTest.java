package org.torchnnapi.program.op;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.torchnnapi.program.ValueType;

class ReshapeOpTest {
    @Test
    void keepsTheElements() {
        ReshapeOp reshape = new ReshapeOp(new int[] {4, 3, 5});
        for (ValueType type : List.of(
                ValueType.floats(60), ValueType.ints(5, 12), ValueType.bytes(ByteOps.QUANTIZATIONS[0], 3, 20))) {
            Object in = Ops.random(new Random(1), type);
            assertEquals(type.withShape(4, 3, 5), reshape.result(List.of(type)));
            assertArrayEquals(new Object[] {in}, new Object[] {Ops.run(reshape, List.of(type), in)});
        }
        assertThrows(IllegalArgumentException.class, () -> reshape.result(List.of(ValueType.floats(61))));
    }
}
