package org.torchnnapi.program.op;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.torchnnapi.program.ByteQuantization;
import org.torchnnapi.program.Element;
import org.torchnnapi.program.ValueType;

class ConvertOpTest {
    private static final ValueType BYTES = ValueType.bytes(new ByteQuantization(Element.UINT8, 0.5f, 9), 4);
    private static final ValueType SIGNED = ValueType.bytes(new ByteQuantization(Element.INT8, 0.5f, 9), 4);

    private static Object run(Element to, ValueType from, Object values) {
        return Ops.run(new ConvertOp(to), List.of(from), values);
    }

    @Test
    void toFloats() {
        assertArrayEquals(new float[] {1, -2, 16777216, 0}, (float[])
                run(Element.FLOAT32, ValueType.ints(4), new int[] {1, -2, 16777217, 0}));
        assertArrayEquals(
                new float[] {1, 0, 1, 1}, (float[]) run(Element.FLOAT32, ValueType.flags(4), new byte[] {1, 0, 2, -1}));
        assertArrayEquals(
                new float[] {1, 0, 128, 255}, (float[]) run(Element.FLOAT32, BYTES, new byte[] {1, 0, -128, -1}));
        assertArrayEquals(
                new float[] {1, 0, -128, -1}, (float[]) run(Element.FLOAT32, SIGNED, new byte[] {1, 0, -128, -1}));
        assertArrayEquals(
                new float[] {1.5f, 0}, (float[]) run(Element.FLOAT32, ValueType.floats(2), new float[] {1.5f, 0}));
    }

    @Test
    void toNumbers() {
        assertArrayEquals(new int[] {1, -1, 0, 2147483520}, (int[])
                run(Element.INT32, ValueType.floats(4), new float[] {1.9f, -1.9f, 0.5f, 2147483520f}));
        assertArrayEquals(
                new int[] {1, 0, 1, 1}, (int[]) run(Element.INT32, ValueType.flags(4), new byte[] {1, 0, 2, -1}));
        assertArrayEquals(new int[] {1, 0, 128, 255}, (int[]) run(Element.INT32, BYTES, new byte[] {1, 0, -128, -1}));
        assertArrayEquals(new int[] {7, -7}, (int[]) run(Element.INT32, ValueType.ints(2), new int[] {7, -7}));
        for (float beyond : new float[] {2147483648f, -2147483648f, Float.NaN, Float.POSITIVE_INFINITY}) {
            assertThrows(
                    ArithmeticException.class, () -> run(Element.INT32, ValueType.floats(1), new float[] {beyond}));
        }
    }

    @Test
    void toFlags() {
        assertArrayEquals(new byte[] {1, 0, 1, 1}, (byte[])
                run(Element.BOOL8, ValueType.floats(4), new float[] {0.1f, -0f, Float.NaN, 3}));
        assertArrayEquals(
                new byte[] {1, 0, 1, 1}, (byte[]) run(Element.BOOL8, ValueType.ints(4), new int[] {256, 0, -1, 1}));
        assertArrayEquals(new byte[] {1, 0, 1, 1}, (byte[]) run(Element.BOOL8, BYTES, new byte[] {9, 0, -128, -1}));
        assertThrows(IllegalArgumentException.class, () -> new ConvertOp(Element.UINT8));
    }
}
