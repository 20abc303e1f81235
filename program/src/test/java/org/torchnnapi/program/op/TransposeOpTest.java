package org.torchnnapi.program.op;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.lang.reflect.Array;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.torchnnapi.program.ValueType;

class TransposeOpTest {
    private static final int[][] PERMUTATIONS = {
        {0, 1, 2, 3}, {0, 2, 3, 1}, {0, 3, 1, 2}, {3, 2, 1, 0}, {1, 0, 2, 3}, {0, 1, 3, 2}
    };

    @Test
    void ofEveryKind() {
        Random random = new Random(5);
        int[] dims = {2, 3, 4, 5};
        for (ValueType type : List.of(ValueType.floats(dims), ValueType.ints(dims), ValueType.flags(dims))) {
            Object in = Ops.random(random, type);
            for (int[] permutation : PERMUTATIONS) {
                Object out = Ops.run(new TransposeOp(permutation), List.of(type), in);
                int[] made = new TransposeOp(permutation).result(List.of(type)).shape();
                for (int i = 0; i < type.count(); i++) {
                    int[] at = new int[4];
                    int rest = i;
                    for (int axis = 3; axis >= 0; axis--) {
                        at[permutation[axis]] = rest % made[axis];
                        rest /= made[axis];
                    }
                    int from = ((at[0] * dims[1] + at[1]) * dims[2] + at[2]) * dims[3] + at[3];
                    assertEquals(Array.get(in, from), Array.get(out, i), type + " element " + i);
                }
            }
        }
        assertThrows(
                IllegalArgumentException.class,
                () -> new TransposeOp(new int[] {0, 0}).result(List.of(ValueType.ints(2, 2))));
    }
}
