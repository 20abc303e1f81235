package org.torchnnapi.program.op;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.reflect.Array;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.torchnnapi.program.ValueType;

class ArgExtremeOpTest {
    @Test
    void alongEveryAxis() {
        Random random = new Random(5);
        for (ValueType type : List.of(
                ValueType.floats(3, 9, 5),
                ValueType.ints(3, 9, 5),
                ValueType.bytes(ByteOps.QUANTIZATIONS[0], 3, 9, 5),
                ValueType.bytes(ByteOps.QUANTIZATIONS[1], 3, 9, 5))) {
            Object in = Ops.random(random, type);
            for (int axis = 0; axis < 3; axis++) {
                for (boolean largest : new boolean[] {true, false}) {
                    int[] actual = (int[]) Ops.run(new ArgExtremeOp(largest, axis), List.of(type), in);
                    int extent = type.dimension(axis);
                    int inner = type.count(axis + 1, 3);
                    for (int i = 0; i < actual.length; i++) {
                        int first = i / inner * extent * inner + i % inner;
                        int best = 0;
                        for (int j = 1; j < extent; j++) {
                            double difference =
                                    real(type, in, first + j * inner) - real(type, in, first + best * inner);
                            best = largest && difference > 0 || !largest && difference < 0 ? j : best;
                        }
                        assertEquals(best, actual[i], type + " along " + axis + " element " + i);
                    }
                }
            }
        }
    }

    private static double real(ValueType type, Object data, int at) {
        return data instanceof byte[] bytes
                ? ByteOps.real(type.quantization(), bytes[at])
                : ((Number) Array.get(data, at)).doubleValue();
    }
}
