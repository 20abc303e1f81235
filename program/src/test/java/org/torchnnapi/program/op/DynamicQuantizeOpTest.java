package org.torchnnapi.program.op;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.torchnnapi.kernels.DynamicQuantization;
import org.torchnnapi.program.ValueType;

class DynamicQuantizeOpTest {
    @Test
    void byAllRanges() {
        byte[] out = (byte[]) Ops.run(
                new DynamicQuantizeOp(),
                List.of(ValueType.floats(2, 3), ValueType.floats(2, 2)),
                new float[] {-1, 0, 1.55f, 0.1f, 0.204f, -5},
                new float[] {-1, 0.5f, -0.3f, 1.55f});
        assertArrayEquals(new byte[] {0, 100, (byte) 255, 0, 110, 120, 0, 0}, out);
    }

    @Test
    void rowsOfManyShares() {
        Random random = new Random(11);
        for (int width : new int[] {4, 1001}) {
            ValueType type = ValueType.floats(3, 17, width);
            float[] in = (float[]) Ops.random(random, type);
            byte[] out = (byte[])
                    Ops.run(new DynamicQuantizeOp(), List.of(type, ValueType.floats(1, 2)), in, new float[] {-2, 2});
            byte[] expected = new byte[out.length];
            DynamicQuantization.of(-2, 2, 0, 255).quantize(in, 0, expected, 0, 51, width);
            assertArrayEquals(expected, out, "width " + width);
        }
    }

    @Test
    void checksItsInputs() {
        assertEquals(
                8,
                new DynamicQuantizeOp()
                        .result(List.of(ValueType.floats(2, 5), ValueType.floats(1, 2)))
                        .dimension(1));
        assertThrows(
                IllegalArgumentException.class,
                () -> new DynamicQuantizeOp().result(List.of(ValueType.floats(2, 5), ValueType.floats(1, 3))));
        assertThrows(
                IllegalArgumentException.class,
                () -> new DynamicQuantizeOp().result(List.of(ValueType.ints(2, 5), ValueType.floats(1, 2))));
    }
}
