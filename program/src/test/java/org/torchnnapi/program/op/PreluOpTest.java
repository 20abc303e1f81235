package org.torchnnapi.program.op;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.torchnnapi.program.ValueType;

class PreluOpTest {
    @Test
    void theGreaterOfBothNeedsSlopesUpToOneAndNoneOfZero() {
        assertTrue(PreluOp.isGreaterOfBoth(new float[] {1, 0.1f, -2}));
        for (float other : new float[] {1.01f, 0, -0f, Float.NaN}) {
            assertFalse(PreluOp.isGreaterOfBoth(new float[] {1, other}), other + "");
        }
    }

    @Test
    void slopesOfEveryShape() {
        Random random = new Random(6);
        int[] shape = {2, 3, 19};
        float[] x = (float[]) Ops.random(random, ValueType.floats(shape));
        for (int[] slopes : new int[][] {{2, 3, 19}, {19}, {3, 1}, {1}, {2, 1, 1}}) {
            List<ValueType> types = List.of(ValueType.floats(shape), ValueType.floats(slopes));
            float[] slope = (float[]) Ops.random(random, types.get(1));
            float[] actual = (float[]) Ops.run(new PreluOp(), types, x, slope);
            for (int i = 0; i < x.length; i++) {
                float expected = x[i] >= 0 ? x[i] : x[i] * slope[Places.index(Places.of(i, shape), slopes)];
                assertEquals(expected, actual[i], types + " element " + i);
            }
        }
    }
}
