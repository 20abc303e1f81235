package org.torchnnapi.program.op;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.torchnnapi.kernels.Weights;
import org.torchnnapi.program.ValueType;

class EmbeddingOpTest {
    @Test
    void copiesRowsFromWhereverTheyLie() {
        Random random = new Random(4);
        for (int width : new int[] {1, 3, 700}) {
            int rows = 50;
            float[] table = (float[]) Ops.random(random, ValueType.floats(rows, width));
            ByteBuffer stored =
                    ByteBuffer.allocateDirect(Float.BYTES * table.length).order(ByteOrder.LITTLE_ENDIAN);
            stored.asFloatBuffer().put(table);
            int[] picks = random.ints(99, 0, rows).toArray();
            for (Weights weights : List.of(
                    Weights.of(table), Weights.stored(stored), Weights.of(table).scaled(1, 1))) {
                float[] out =
                        (float[]) Ops.run(new EmbeddingOp(rows, width, weights), List.of(ValueType.ints(3, 33)), picks);
                assertEquals(99 * width, out.length);
                for (int i = 0; i < out.length; i++) {
                    assertEquals(table[picks[i / width] * width + i % width], out[i]);
                }
            }
        }
    }

    @Test
    void oneRow() {
        assertArrayEquals(new float[] {3, 4}, (float[])
                Ops.run(new EmbeddingOp(2, 2, Weights.of(1, 2, 3, 4)), List.of(ValueType.ints()), new int[] {1}));
    }

    @Test
    void failsWhereARowIsNotThere() {
        EmbeddingOp op = new EmbeddingOp(2, 2, Weights.of(1, 2, 3, 4));
        assertThrows(IllegalArgumentException.class, () -> Ops.run(op, List.of(ValueType.ints(1)), new int[] {2}));
        assertThrows(IllegalArgumentException.class, () -> Ops.run(op, List.of(ValueType.ints(1)), new int[] {-1}));
        assertThrows(IllegalArgumentException.class, () -> op.result(List.of(ValueType.floats(1))));
        assertThrows(IllegalArgumentException.class, () -> new EmbeddingOp(2, 3, Weights.of(1, 2, 3, 4)));
    }
}
