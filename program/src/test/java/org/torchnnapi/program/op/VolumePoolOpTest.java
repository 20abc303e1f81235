package org.torchnnapi.program.op;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.torchnnapi.program.ValueType;

class VolumePoolOpTest {
    private static final int[][] TAPS = {{0, 1}, {1, 2}, {2}};

    @Test
    void greatestAndMeans() {
        float[] in = {1, 9, 5, 3, 4, 4, -1, -9, -5, -3, -4, -4};
        List<ValueType> types = List.of(ValueType.floats(6, 2));
        assertArrayEquals(new float[] {5, 9, 5, 4, 4, 4, -1, -3, -4, -3, -4, -4}, (float[])
                Ops.run(new VolumePoolOp(TAPS, 3, false, 0), types, in));
        assertArrayEquals(new float[] {3, 6, 4.5f, 3.5f, 4, 4, -3, -6, -4.5f, -3.5f, -4, -4}, (float[])
                Ops.run(new VolumePoolOp(TAPS, 3, true, 0), types, in));
        assertArrayEquals(new float[] {3, 6, 4.5f, 3.5f, 2, 2, -3, -6, -4.5f, -3.5f, -2, -2}, (float[])
                Ops.run(new VolumePoolOp(TAPS, 3, true, 2), types, in));
    }

    @Test
    void slicesOfManyShares() {
        ValueType type = ValueType.floats(3, 7, 71, 73);
        float[] in = (float[]) Ops.random(new Random(2), type);
        float[] out = (float[]) Ops.run(new VolumePoolOp(TAPS, 3, false, 0), List.of(type), in);
        int size = type.count() / 3;
        for (int i = 0; i < size; i++) {
            assertEquals(Math.max(in[i], in[size + i]), out[i]);
            assertEquals(Math.max(in[size + i], in[2 * size + i]), out[size + i]);
            assertEquals(in[2 * size + i], out[2 * size + i]);
        }
    }

    @Test
    void checksItsArguments() {
        assertThrows(IllegalArgumentException.class, () -> new VolumePoolOp(new int[][] {{}}, 3, false, 0));
        assertThrows(IllegalArgumentException.class, () -> new VolumePoolOp(new int[][] {{3}}, 3, false, 0));
        assertThrows(
                IllegalArgumentException.class,
                () -> new VolumePoolOp(TAPS, 3, false, 0).result(List.of(ValueType.floats(4, 2))));
    }
}
