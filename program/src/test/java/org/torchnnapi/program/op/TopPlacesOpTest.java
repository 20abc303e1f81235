package org.torchnnapi.program.op;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.reflect.Array;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.torchnnapi.program.ValueType;

/** Against a stable sort, with many equal elements; few and many of long and short rows. */
class TopPlacesOpTest {
    @Test
    void andTheElementsThere() {
        Random random = new Random(4);
        for (int size : new int[] {1, 7, 100}) {
            for (int k : new int[] {1, (size + 2) / 3, size}) {
                for (ValueType type : List.of(
                        ValueType.floats(3, size),
                        ValueType.ints(3, size),
                        ValueType.bytes(ByteOps.QUANTIZATIONS[0], 3, size),
                        ValueType.bytes(ByteOps.QUANTIZATIONS[1], 3, size))) {
                    Object in = Ops.random(random, type);
                    int[] places = (int[]) Ops.run(new TopPlacesOp(k), List.of(type), in);
                    Object values = Ops.run(new TakeAlongOp(), List.of(type, ValueType.ints(3, k)), in, places);
                    for (int row = 0; row < 3; row++) {
                        int first = row * size;
                        int[] expected = IntStream.range(0, size)
                                .boxed()
                                .sorted(Comparator.comparingDouble(i -> -real(type, in, first + i)))
                                .mapToInt(Integer::intValue)
                                .limit(k)
                                .toArray();
                        assertArrayEquals(
                                expected, Arrays.copyOfRange(places, row * k, row * k + k), type + " of " + k);
                        for (int i = 0; i < k; i++) {
                            assertEquals(Array.get(in, first + expected[i]), Array.get(values, row * k + i));
                        }
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
