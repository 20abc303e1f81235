package org.torchnnapi.program.op;

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
}
