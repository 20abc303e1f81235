package org.torchnnapi.program.op;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.torchnnapi.program.ValueType;

/** Against plain loops in double. */
class SvdfMemoryOpTest {
    private final Random random = new Random(7);

    @Test
    void equalsItsTwin() {
        for (int memory : new int[] {1, 2, 5, 10}) {
            for (int rank : new int[] {1, 2, 3}) {
                for (int batch : new int[] {1, 3}) {
                    check(6 * rank, memory, rank, batch, memory == 2);
                }
            }
        }
    }

    private void check(int filters, int memory, int rank, int batch, boolean biased) {
        List<ValueType> types = List.of(ValueType.floats(batch, filters), ValueType.floats(batch, filters * memory));
        int units = filters / rank;
        float[] time = (float[]) Ops.random(random, ValueType.floats(filters, memory));
        float[] bias = biased ? (float[]) Ops.random(random, ValueType.floats(units)) : null;
        float[] products = (float[]) Ops.random(random, types.get(0));
        float[] state = (float[]) Ops.random(random, types.get(1));
        float[] out = (float[])
                Ops.run(new SvdfMemoryOp(filters, memory, rank, time, bias, CellFunction.RELU), types, products, state);
        for (int b = 0; b < batch; b++) {
            for (int u = 0; u < units; u++) {
                double sum = biased ? bias[u] : 0;
                for (int f = u * rank; f < (u + 1) * rank; f++) {
                    int row = (b * filters + f) * memory;
                    for (int i = 0; i < memory; i++) {
                        float remembered = i == memory - 1 ? products[b * filters + f] : state[row + i];
                        sum += time[f * memory + i] * remembered;
                        float next =
                                i == memory - 1 ? 0 : i == memory - 2 ? products[b * filters + f] : state[row + i + 1];
                        assertEquals(next, out[row + i]);
                    }
                }
                assertEquals(Math.max(0, sum), out[batch * filters * memory + b * units + u], 1e-5);
            }
        }
    }

    @Test
    void checksItsInputs() {
        assertThrows(
                IllegalArgumentException.class,
                () -> new SvdfMemoryOp(6, 2, 4, new float[12], null, CellFunction.NONE));
        assertThrows(
                IllegalArgumentException.class,
                () -> new SvdfMemoryOp(6, 2, 2, new float[11], null, CellFunction.NONE));
        SvdfMemoryOp op = new SvdfMemoryOp(6, 2, 2, new float[12], null, CellFunction.NONE);
        assertThrows(
                IllegalArgumentException.class,
                () -> op.result(List.of(ValueType.floats(1, 6), ValueType.floats(1, 6))));
    }
}
