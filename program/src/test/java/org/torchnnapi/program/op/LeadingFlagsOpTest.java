package org.torchnnapi.program.op;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.torchnnapi.program.ValueType;

class LeadingFlagsOpTest {
    @Test
    void asManyAtTheBeginning() {
        byte[] in = {0, 1, 0, 1, 0, 0, 0, 0, 1, 1, 1, 1};
        assertArrayEquals(new byte[] {1, 1, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1}, (byte[])
                Ops.run(new LeadingFlagsOp(), List.of(ValueType.flags(3, 4)), (Object) in));
    }

    @Test
    void rowsOfEverySize() {
        Random random = new Random(6);
        for (int row : new int[] {1, 7, 16, 129}) {
            ValueType type = ValueType.flags(3, 5, row);
            byte[] in = (byte[]) Ops.random(random, type);
            byte[] out = (byte[]) Ops.run(new LeadingFlagsOp(), List.of(type), (Object) in);
            for (int r = 0; r < 15; r++) {
                int set = 0;
                for (int i = 0; i < row; i++) {
                    set += in[r * row + i];
                }
                for (int i = 0; i < row; i++) {
                    assertEquals(i < set ? 1 : 0, out[r * row + i]);
                }
            }
        }
    }

    @Test
    void takesFlags() {
        assertThrows(
                IllegalArgumentException.class, () -> new LeadingFlagsOp().result(List.of(ValueType.floats(2, 2))));
    }
}
