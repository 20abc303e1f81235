package org.torchnnapi.program.op;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.torchnnapi.program.ValueType;

class CastOpTest {
    private static final float[] FLOATS = {-1.9f, 2.9f, 300, -300, Float.NaN, 1e30f, -1e30f, 0};
    private static final ValueType BYTES = ValueType.bytes(ByteOps.QUANTIZATIONS[0], 8);

    @Test
    void floatsAreCutOffAndLimited() {
        assertArrayEquals(new int[] {-1, 2, 300, -300, 0, Integer.MAX_VALUE, Integer.MIN_VALUE, 0}, (int[])
                Ops.run(new CastOp(ValueType.ints()), List.of(ValueType.floats(8)), FLOATS));
        assertArrayEquals(new byte[] {0, 2, -1, 0, 0, -1, 0, 0}, (byte[])
                Ops.run(new CastOp(BYTES), List.of(ValueType.floats(8)), FLOATS));
        assertArrayEquals(new byte[] {0, 1, 1, 0, 0, 1, 0, 0}, (byte[])
                Ops.run(new CastOp(ValueType.flags()), List.of(ValueType.floats(8)), FLOATS));
    }

    @Test
    void bytesAreNumbersAsTheyAreStored() {
        byte[] bytes = {0, 1, 127, -128, -1, 2, 3, 4};
        assertArrayEquals(new float[] {0, 1, 127, 128, 255, 2, 3, 4}, (float[])
                Ops.run(new CastOp(ValueType.floats()), List.of(BYTES), bytes));
        assertArrayEquals(new int[] {0, 1, 127, -128, -1, 2, 3, 4}, (int[])
                Ops.run(new CastOp(ValueType.ints()), List.of(ValueType.bytes(ByteOps.QUANTIZATIONS[1], 8)), bytes));
        assertArrayEquals(new int[] {0, 1, 1, 1, 1, 1, 1, 1}, (int[])
                Ops.run(new CastOp(ValueType.ints()), List.of(ValueType.flags(8)), bytes));
    }

    @Test
    void numbersKeepAllTheirBits() {
        int[] numbers = {Integer.MAX_VALUE, Integer.MIN_VALUE, 1 << 24 | 1};
        assertArrayEquals(numbers, (int[]) Ops.run(new CastOp(ValueType.ints()), List.of(ValueType.ints(3)), numbers));
    }
}
