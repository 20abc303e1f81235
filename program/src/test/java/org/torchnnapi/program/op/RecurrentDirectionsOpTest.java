package org.torchnnapi.program.op;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.torchnnapi.kernels.FloatRecurrent.Cell;
import org.torchnnapi.kernels.KernelPool;
import org.torchnnapi.program.ValueType;

/** Both directions against each by itself. */
class RecurrentDirectionsOpTest {
    private static final int INPUTS = 5;

    private final Random random = new Random(11);

    @AfterEach
    void restoreThreads() {
        KernelPool.shared().setNumThreads(Runtime.getRuntime().availableProcessors());
    }

    @ParameterizedTest
    @EnumSource(Cell.class)
    void areEachByItself(Cell cell) {
        for (int batch : new int[] {1, 4, 5, 11}) {
            check(cell, 17, 1 + batch * 3, batch);
        }
    }

    private void check(Cell cell, int hidden, int steps, int batch) {
        int states = cell == Cell.LSTM ? 2 : 1;
        RecurrentOp[] directions = {layer(cell, hidden, false), layer(cell, hidden, true)};
        ValueType x = ValueType.floats(steps, batch, INPUTS);
        ValueType state = ValueType.floats(batch, hidden);
        List<ValueType> types = new ArrayList<>(List.of(x));
        List<Object> inputs = new ArrayList<>(List.of(floats(x.count())));
        for (int i = 0; i < 2 * states; i++) {
            types.add(state);
            inputs.add(floats(state.count()));
        }
        int row = batch * hidden;
        float[] expected = new float[(steps + states) * 2 * row];
        for (int d = 0; d < 2; d++) {
            List<Object> own = new ArrayList<>(List.of(inputs.get(0)));
            own.addAll(inputs.subList(1 + d * states, 1 + (d + 1) * states));
            float[] out = (float[]) Ops.run(directions[d], types.subList(0, 1 + states), own.toArray());
            for (int i = 0; i < steps * batch; i++) {
                System.arraycopy(out, i * hidden, expected, (2 * i + d) * hidden, hidden);
            }
            System.arraycopy(out, d == 0 ? (steps - 1) * row : 0, expected, (2 * steps + d) * row, row);
            if (states == 2) {
                System.arraycopy(out, steps * row, expected, (2 * steps + 2 + d) * row, row);
            }
        }
        for (int threads = 1; threads <= 3; threads++) {
            KernelPool.shared().setNumThreads(threads);
            assertArrayEquals(
                    expected,
                    (float[]) Ops.run(new RecurrentDirectionsOp(directions[0], directions[1]), types, inputs.toArray()),
                    hidden + " units, batch " + batch);
        }
    }

    @Test
    void takesAForwardAndABackwardLayerOfOneKind() {
        RecurrentOp forward = layer(Cell.GRU, 7, false);
        for (RecurrentOp other :
                List.of(layer(Cell.GRU, 7, false), layer(Cell.LSTM, 7, true), layer(Cell.GRU, 8, true))) {
            assertThrows(
                    IllegalArgumentException.class, () -> new RecurrentDirectionsOp(forward, other), other.label());
        }
    }

    @Test
    void suitsSmallLayers() {
        assertTrue(RecurrentDirectionsOp.suits(Cell.GRU, 128));
        assertFalse(RecurrentDirectionsOp.suits(Cell.LSTM, 256));
    }

    @Test
    void checksItsInputs() {
        RecurrentDirectionsOp both = new RecurrentDirectionsOp(layer(Cell.GRU, 7, false), layer(Cell.GRU, 7, true));
        ValueType x = ValueType.floats(5, 2, INPUTS);
        ValueType state = ValueType.floats(2, 7);
        assertEquals(ValueType.floats(6, 2, 14), both.result(List.of(x, state, state)));
        assertThrows(IllegalArgumentException.class, () -> both.result(List.of(x, state)));
        assertThrows(IllegalArgumentException.class, () -> both.result(List.of(x, state, ValueType.floats(3, 7))));
    }

    private RecurrentOp layer(Cell cell, int hidden, boolean reverse) {
        int rows = cell.gates() * hidden;
        return new RecurrentOp(
                cell,
                INPUTS,
                hidden,
                floats(rows * INPUTS),
                floats(rows * hidden),
                floats(rows),
                floats(rows),
                reverse);
    }

    private float[] floats(int count) {
        float[] values = new float[count];
        for (int i = 0; i < count; i++) {
            values[i] = (random.nextFloat() - 0.5f) / 4;
        }
        return values;
    }
}
