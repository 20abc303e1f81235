package org.torchnnapi.program.op;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.torchnnapi.program.ValueType;

class LeakyReluOpTest {
    @Test
    void leakyReluOfEverySlope() {
        float[] in = {
            3,
            0,
            -1e-30f,
            -2,
            -300,
            Float.NaN,
            Float.POSITIVE_INFINITY,
            Float.NEGATIVE_INFINITY,
            5,
            -7,
            1,
            -1,
            2,
            -3,
            4,
            -5,
            6,
            -7,
            8
        };
        for (float slope : new float[] {0, 0.01f, 1, 1.5f, -0.5f}) {
            float[] actual = (float[]) Ops.run(new LeakyReluOp(slope), List.of(ValueType.floats(in.length)), in);
            for (int i = 0; i < in.length; i++) {
                float expected = in[i] >= 0 ? in[i] : in[i] * slope;
                assertEquals(expected, actual[i], slope + " times " + in[i]);
            }
        }
    }
}
