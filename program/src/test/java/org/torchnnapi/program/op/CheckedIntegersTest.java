package org.torchnnapi.program.op;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.torchnnapi.program.ValueType;
import org.torchnnapi.program.op.CheckedIntegers.Function;

class CheckedIntegersTest {
    @ParameterizedTest
    @EnumSource
    void repeatsAlongAxes(Function function) {
        Random random = new Random(8);
        int[] a = (int[]) Ops.random(random, ValueType.ints(3, 1, 5));
        int[] b = random.ints(4, 1, 7).map(x -> random.nextBoolean() ? x : -x).toArray();
        int[] out = (int[]) Ops.run(new CheckedIntegers(function), List.of(ValueType.ints(3, 1, 5), ValueType.ints(4, 1)), a, b);
        for (int i = 0; i < out.length; i++) {
            int x = a[i / 20 * 5 + i % 5];
            int y = b[i / 5 % 4];
            int expected = switch (function) {
                case ADD -> x + y;
                case SUB -> x - y;
                case MUL -> x * y;
                case FLOOR_DIV -> (int) Math.floor((double) x / y);
                case REMAINDER -> (int) (x - y * Math.floor((double) x / y));
                case MAX -> Math.max(x, y);
                case MIN -> Math.min(x, y);
            };
            assertEquals(expected, out[i], function + " of " + x + " and " + y);
        }
    }

    private static void fails(Function function, int a, int b) {
        List<ValueType> types = List.of(ValueType.ints(1), ValueType.ints());
        assertThrows(ArithmeticException.class, () -> Ops.run(new CheckedIntegers(function), types, new int[] {a}, new int[] {b}));
    }

    @Test
    void failsBeyond32Bits() {
        fails(Function.ADD, Integer.MAX_VALUE, 1);
        fails(Function.SUB, Integer.MIN_VALUE, 1);
        fails(Function.MUL, 1 << 16, 1 << 15);
        fails(Function.FLOOR_DIV, Integer.MIN_VALUE, -1);
        fails(Function.FLOOR_DIV, 1, 0);
        fails(Function.REMAINDER, 1, 0);
        assertThrows(IllegalArgumentException.class,
            () -> new CheckedIntegers(Function.ADD).result(List.of(ValueType.ints(1), ValueType.floats(1))));
    }
}
