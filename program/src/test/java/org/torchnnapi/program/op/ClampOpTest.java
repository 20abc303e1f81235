package org.torchnnapi.program.op;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.torchnnapi.kernels.Clamp;
import org.torchnnapi.program.ValueType;

class ClampOpTest {
    @Test
    void eachElement() {
        for (int count : new int[] {1, 19, 16385}) {
            for (Clamp clamp : new Clamp[] {Clamp.NONE, Clamp.RELU, Clamp.RELU1, new Clamp(-0.25f, 0.125f)}) {
                float[] in = (float[]) Ops.random(new Random(count), ValueType.floats(count));
                float[] expected = new float[count];
                for (int i = 0; i < count; i++) {
                    expected[i] = in[i] < clamp.min() ? clamp.min() : in[i] > clamp.max() ? clamp.max() : in[i];
                }
                // Adding 0 makes a zero of either sign the same.
                float[] actual = (float[]) Ops.run(new ClampOp(clamp), List.of(ValueType.floats(count)), in);
                for (int i = 0; i < count; i++) {
                    assertEquals(expected[i] + 0f, actual[i] + 0f, clamp + " of " + in[i]);
                }
            }
        }
    }

    @Test
    void twoLimitsAreOne() {
        float[] in = {-9, -1, 0.5f, 2, 9};
        assertArrayEquals(new float[] {0, 0, 0.5f, 1, 1}, (float[])
                Ops.run(new ClampOp(Clamp.RELU6).limited(Clamp.RELU1), List.of(ValueType.floats(in.length)), in));
        assertEquals(new ClampOp(new Clamp(1, 1)), new ClampOp(new Clamp(2, 3)).limited(Clamp.RELU1));
    }

    @Test
    void takesFloatsAlone() {
        assertThrows(IllegalArgumentException.class, () -> new ClampOp(Clamp.RELU).result(List.of(ValueType.ints(2))));
    }
}
