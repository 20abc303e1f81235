package org.torchnnapi.program.op;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.torchnnapi.program.ValueType;
import org.torchnnapi.program.op.Integers.Function;

class IntegersTest {
    private static final int[] A = {7, -7, 7, -7, Integer.MAX_VALUE, 5};
    private static final int[] B = {2, 2, -2, -2, 1, 0};

    private static int[] run(Function function) {
        return (int[]) Ops.run(new Integers(function), List.of(ValueType.ints(2, 3), ValueType.ints(2, 3)), A, B);
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

    @Test
    void ofFlags() {
        List<ValueType> types = List.of(ValueType.flags(2, 2), ValueType.flags(2));
        byte[] a = {0, 1, 0, 5};
        byte[] b = {0, 1};
        assertArrayEquals(new byte[] {0, 1, 0, 1}, (byte[]) Ops.run(new Integers(Function.AND), types, a, b));
        assertArrayEquals(new byte[] {0, 1, 0, 1}, (byte[]) Ops.run(new Integers(Function.OR), types, a, b));
        assertArrayEquals(new byte[] {0, 0, 0, 0}, (byte[]) Ops.run(new Integers(Function.SUB), types, a, b));
        assertThrows(IllegalArgumentException.class, () -> new Integers(Function.OR).result(List.of(ValueType.floats(2), ValueType.floats(2))));
    }
}
