package org.torchnnapi.program.op;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.torchnnapi.kernels.Weights;
import org.torchnnapi.program.ValueType;
import org.torchnnapi.program.op.EmbeddingBagOp.Mode;

class EmbeddingBagOpTest {
    private static final Weights TABLE = Weights.of(1, -1, 2, -2, 4, -4);
    private static final List<ValueType> TYPES = List.of(ValueType.ints(5), ValueType.ints(3));
    private static final int[] ROWS = {0, 1, 2, 2, 1};

    private static float[] run(EmbeddingBagOp op, int... bags) {
        return (float[]) Ops.run(op, List.of(TYPES.get(0), ValueType.ints(bags.length)), ROWS, bags);
    }

    @Test
    void sumsMeansAndGreatest() {
        assertArrayEquals(
                new float[] {3, -3, 0, 0, 10, -10}, run(new EmbeddingBagOp(3, 2, TABLE, Mode.SUM, false, -1), 0, 2, 2));
        assertArrayEquals(
                new float[] {1.5f, -1.5f, 0, 0, 10 / 3f, -10 / 3f},
                run(new EmbeddingBagOp(3, 2, TABLE, Mode.MEAN, false, -1), 0, 2, 2));
        assertArrayEquals(
                new float[] {2, -1, 0, 0, 4, -2}, run(new EmbeddingBagOp(3, 2, TABLE, Mode.MAX, false, -1), 0, 2, 2));
    }

    @Test
    void skippedRowsAndGivenEnds() {
        assertArrayEquals(new float[] {1, -1, 8, -8}, run(new EmbeddingBagOp(3, 2, TABLE, Mode.SUM, true, 1), 0, 2, 4));
        assertArrayEquals(
                new float[] {1, -1, 4, -4}, run(new EmbeddingBagOp(3, 2, TABLE, Mode.MEAN, true, 1), 0, 2, 4));
    }

    @Test
    void factors() {
        float[] out = (float[]) Ops.run(
                new EmbeddingBagOp(3, 2, TABLE, Mode.SUM, false, -1),
                List.of(ValueType.ints(5), ValueType.ints(1), ValueType.floats(5)),
                ROWS,
                new int[] {0},
                new float[] {1, 10, 100, 0, 1});
        assertArrayEquals(new float[] {423, -423}, out);
    }

    @Test
    void failsWhereRowsOrBagsAreNotThere() {
        EmbeddingBagOp small = new EmbeddingBagOp(2, 3, TABLE, Mode.SUM, false, -1);
        assertThrows(IllegalArgumentException.class, () -> run(small, 0, 2, 2));
        EmbeddingBagOp op = new EmbeddingBagOp(3, 2, TABLE, Mode.SUM, true, -1);
        assertThrows(IllegalArgumentException.class, () -> run(op, 0, 2, 6));
        assertThrows(IllegalArgumentException.class, () -> run(op, -1, 2, 3));
        assertThrows(
                IllegalArgumentException.class,
                () -> op.result(List.of(ValueType.ints(5), ValueType.ints(3), ValueType.floats(4))));
    }
}
