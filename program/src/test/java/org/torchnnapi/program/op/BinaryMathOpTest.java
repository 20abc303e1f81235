package org.torchnnapi.program.op;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.torchnnapi.kernels.BinaryOp;
import org.torchnnapi.kernels.Clamp;
import org.torchnnapi.program.ValueType;

class BinaryMathOpTest {
    private static final int[][][] SHAPES = {
        {{37}, {37}},
        {{3, 37}, {37}},
        {{37}, {3, 37}},
        {{3, 1}, {1, 37}},
        {{2, 5, 3, 7}, {2, 5, 1, 1}},
        {{2, 3, 7, 5}, {1, 1, 1, 5}},
        {{2, 19, 3, 3}, {19, 1, 1}},
        {{}, {3, 2}},
        {{4, 9}, {1}},
        {{1}, {2, 700}},
        {{1, 1, 1, 1}, {2, 16, 9, 5}},
        {{70, 5, 6}, {5, 6}},
        {{3, 5, 6}, {1, 6}},
        {{3, 5, 6}, {3, 5, 1}},
        {{3, 1, 6}, {3, 1, 1}},
        {{3, 5, 6}, {3, 1, 6}},
        {{3, 5, 6}, {1, 5, 1}},
        {{6, 1, 1, 2}, {1, 7, 5, 2}},
        {{1, 7, 5, 2}, {600, 1, 5, 1}},
        {{40, 1, 30}, {40, 30, 1}},
        {{1, 3, 1, 3}, {2, 1, 5, 1}},
        {{9, 1}, {1, 4}}
    };

    /** Over shapes that repeat, in either order. */
    @ParameterizedTest
    @EnumSource(BinaryOp.class)
    void equalsItsTwin(BinaryOp op) {
        Random random = new Random(4);
        Clamp clamp = new Clamp(-1.5f, 0.75f);
        for (int[][] shapes : SHAPES) {
            List<ValueType> types = List.of(ValueType.floats(shapes[0]), ValueType.floats(shapes[1]));
            float[] a = (float[]) Ops.random(random, types.get(0));
            float[] b = (float[]) Ops.random(random, types.get(1));
            for (BinaryMathOp binary : List.of(
                    BinaryMathOp.of(op), (BinaryMathOp) BinaryMathOp.of(op).limited(clamp))) {
                int[] shape = binary.result(types).shape();
                float[] actual = (float[]) Ops.run(binary, types, a, b);
                for (int i = 0; i < actual.length; i++) {
                    int[] places = Places.of(i, shape);
                    float plain = op.apply(a[Places.index(places, shapes[0])], b[Places.index(places, shapes[1])]);
                    if (!Float.isNaN(plain)) {
                        assertEquals(binary.clamp().apply(plain), actual[i], types + " element " + i);
                    }
                }
            }
        }
        assertThrows(
                IllegalArgumentException.class,
                () -> BinaryMathOp.of(op).result(List.of(ValueType.floats(3), ValueType.floats(2))));
    }
}
