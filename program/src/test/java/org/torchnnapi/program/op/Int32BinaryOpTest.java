package org.torchnnapi.program.op;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.torchnnapi.program.ValueType;
import org.torchnnapi.program.op.Int32BinaryOp.Function;

class Int32BinaryOpTest {
    private static final int[] A = {7, -7, 7, -7, Integer.MAX_VALUE, 5};
    private static final int[] B = {2, 2, -2, -2, 1, 0};

    private static int[] run(Function function) {
        return (int[]) Ops.run(new Int32BinaryOp(function), List.of(ValueType.ints(2, 3), ValueType.ints(2, 3)), A, B);
    }

    @Test
    void ofNumbers() {
        assertArrayEquals(new int[] {9, -5, 5, -9, Integer.MIN_VALUE, 5}, run(Function.ADD));
        assertArrayEquals(new int[] {5, -9, 9, -5, Integer.MAX_VALUE - 1, 5}, run(Function.SUB));
        assertArrayEquals(new int[] {14, -14, -14, 14, Integer.MAX_VALUE, 0}, run(Function.MUL));
        assertArrayEquals(new int[] {3, -4, -4, 3, Integer.MAX_VALUE, 0}, run(Function.DIV));
        assertArrayEquals(new int[] {7, 2, 7, -2, Integer.MAX_VALUE, 5}, run(Function.MAX));
        assertArrayEquals(new int[] {2, -7, -2, -7, 1, 0}, run(Function.MIN));
    }

    @ParameterizedTest
    @EnumSource
    void repeatsAlongAxes(Function function) {
        Random random = new Random(8);
        int[] a = (int[]) Ops.random(random, ValueType.ints(3, 1, 5));
        int[] b = random.ints(4, 1, 7).map(x -> random.nextBoolean() ? x : -x).toArray();
        int[] out = (int[])
                Ops.run(new Int32BinaryOp(function), List.of(ValueType.ints(3, 1, 5), ValueType.ints(4, 1)), a, b);
        for (int i = 0; i < out.length; i++) {
            int x = a[i / 20 * 5 + i % 5];
            int y = b[i / 5 % 4];
            int expected = switch (function) {
                case ADD, ADD_EXACT -> x + y;
                case SUB, SUB_EXACT -> x - y;
                case MUL, MUL_EXACT -> x * y;
                case DIV -> (int) Math.floor((double) x / y);
                case MAX -> Math.max(x, y);
                case MIN -> Math.min(x, y);
                case AND -> x & y;
                case OR -> x | y;
            };
            assertEquals(expected, out[i], function + " of " + x + " and " + y);
        }
    }

    private static void fails(Function function, int a, int b) {
        List<ValueType> types = List.of(ValueType.ints(1), ValueType.ints());
        assertThrows(
                ArithmeticException.class,
                () -> Ops.run(new Int32BinaryOp(function), types, new int[] {a}, new int[] {b}));
    }

    @Test
    void exactOnesFailBeyond32Bits() {
        fails(Function.ADD_EXACT, Integer.MAX_VALUE, 1);
        fails(Function.SUB_EXACT, Integer.MIN_VALUE, 1);
        fails(Function.MUL_EXACT, 1 << 16, 1 << 15);
    }

    @Test
    void ofFlags() {
        List<ValueType> types = List.of(ValueType.flags(2, 2), ValueType.flags(2));
        byte[] a = {0, 1, 0, 5};
        byte[] b = {0, 1};
        assertArrayEquals(new byte[] {0, 1, 0, 1}, (byte[]) Ops.run(new Int32BinaryOp(Function.AND), types, a, b));
        assertArrayEquals(new byte[] {0, 1, 0, 1}, (byte[]) Ops.run(new Int32BinaryOp(Function.OR), types, a, b));
        assertArrayEquals(new byte[] {0, 0, 0, 0}, (byte[]) Ops.run(new Int32BinaryOp(Function.SUB), types, a, b));
        assertThrows(
                IllegalArgumentException.class,
                () -> new Int32BinaryOp(Function.OR).result(List.of(ValueType.floats(2), ValueType.floats(2))));
    }
}
