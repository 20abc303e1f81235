package org.torchnnapi.program.op;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.torchnnapi.program.ValueType;

class CumulativeSumOpTest {
    @Test
    void alongEachAxis() {
        int[] numbers = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
        List<ValueType> types = List.of(ValueType.ints(2, 3, 2));
        assertArrayEquals(new int[] {1, 2, 3, 4, 5, 6, 8, 10, 12, 14, 16, 18}, (int[])
                Ops.run(new CumulativeSumOp(0), types, numbers));
        assertArrayEquals(new int[] {1, 2, 4, 6, 9, 12, 7, 8, 16, 18, 27, 30}, (int[])
                Ops.run(new CumulativeSumOp(1), types, numbers));
        assertArrayEquals(new int[] {1, 3, 3, 7, 5, 11, 7, 15, 9, 19, 11, 23}, (int[])
                Ops.run(new CumulativeSumOp(-1), types, numbers));
    }

    @Test
    void floatsAreSummedInDouble() {
        assertArrayEquals(new float[] {1e8f, 1e8f, 1e8f, 2}, (float[])
                Ops.run(new CumulativeSumOp(0), List.of(ValueType.floats(4)), new float[] {1e8f, 1, 1, -1e8f}));
    }

    @Test
    void failsBeyond32Bits() {
        assertThrows(
                ArithmeticException.class,
                () -> Ops.run(new CumulativeSumOp(0), List.of(ValueType.ints(2)), new int[] {Integer.MAX_VALUE, 1}));
        assertThrows(IllegalArgumentException.class, () -> new CumulativeSumOp(1).result(List.of(ValueType.ints(2))));
        assertThrows(IllegalArgumentException.class, () -> new CumulativeSumOp(0).result(List.of(ValueType.flags(2))));
    }
}
