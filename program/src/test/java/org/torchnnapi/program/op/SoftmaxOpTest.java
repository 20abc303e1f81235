package org.torchnnapi.program.op;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.torchnnapi.program.ValueType;

class SoftmaxOpTest {
    @Test
    void alongEveryAxis() {
        Random random = new Random(10);
        int[] shape = {2, 5, 19};
        ValueType type = ValueType.floats(shape);
        float[] in = (float[]) Ops.random(random, type);
        for (int axis = -3; axis < 3; axis++) {
            int[] sums = shape.clone();
            sums[axis < 0 ? axis + 3 : axis] = 1;
            double[] sum = new double[in.length];
            for (int i = 0; i < in.length; i++) {
                sum[Places.index(Places.of(i, shape), sums)] += Math.exp(1.5 * in[i]);
            }
            float[] actual = (float[]) Ops.run(new SoftmaxOp(axis, 1.5f, false), List.of(type), in);
            float[] logarithms = (float[]) Ops.run(new SoftmaxOp(axis, 1.5f, true), List.of(type), in);
            for (int i = 0; i < in.length; i++) {
                double of = sum[Places.index(Places.of(i, shape), sums)];
                assertEquals(Math.exp(1.5 * in[i]) / of, actual[i], 1e-6, "axis " + axis);
                assertEquals(1.5 * in[i] - Math.log(of), logarithms[i], 1e-5, "axis " + axis);
            }
        }
        assertThrows(IllegalArgumentException.class, () -> new SoftmaxOp(0, 0, false));
        assertThrows(IllegalArgumentException.class, () -> new SoftmaxOp(3, 1, false).result(List.of(type)));
    }

    @Test
    void allThatIsHiddenGivesZerosOrNoNumbers() {
        float none = Float.NEGATIVE_INFINITY;
        float[] rows = {none, none, none, 0, none, none, none, Float.NaN, none};
        float[] columns = {none, 0, none, none, none, Float.NaN, none, none, none};
        for (boolean safe : new boolean[] {false, true}) {
            float hidden = safe ? 0 : Float.NaN;
            assertArrayEquals(new float[] {hidden, hidden, hidden, 1, 0, 0, Float.NaN, Float.NaN, Float.NaN}, (float[])
                    Ops.run(new SoftmaxOp(1, 1, false, safe), List.of(ValueType.floats(3, 3)), (Object) rows));
            assertArrayEquals(new float[] {hidden, 1, Float.NaN, hidden, 0, Float.NaN, hidden, 0, Float.NaN}, (float[])
                    Ops.run(new SoftmaxOp(0, 1, false, safe), List.of(ValueType.floats(3, 3)), (Object) columns));
        }
        assertThrows(IllegalArgumentException.class, () -> new SoftmaxOp(0, 1, true, true));
    }
}
