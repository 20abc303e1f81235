package org.torchnnapi.program.op;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.torchnnapi.program.ValueType;

class LocalResponseNormalizationOpTest {
    @Test
    void againstItsDefinition() {
        Random random = new Random(9);
        ValueType type = ValueType.floats(3, 11, 4);
        float[] in = (float[]) Ops.random(random, type);
        for (float beta : new float[] {0.5f, 0.75f, 1, 1.3f}) {
            for (int radius : new int[] {0, 2, 100}) {
                float[] actual = (float[])
                        Ops.run(new LocalResponseNormalizationOp(1, radius, 1.5f, 0.7f, beta), List.of(type), in);
                for (int i = 0; i < in.length; i++) {
                    int position = i / 4 % 11;
                    double squares = 0;
                    for (int j = 0; j < 11; j++) {
                        squares += Math.abs(j - position) <= radius ? Math.pow(in[i + (j - position) * 4], 2) : 0;
                    }
                    assertEquals(
                            in[i] / Math.pow(1.5 + 0.7f * squares, beta),
                            actual[i],
                            1e-6 * (1 + Math.abs(in[i])),
                            "element " + i);
                }
            }
        }
    }
}
