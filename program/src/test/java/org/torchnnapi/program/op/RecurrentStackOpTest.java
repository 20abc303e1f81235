package org.torchnnapi.program.op;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.torchnnapi.kernels.FloatRecurrent.Cell;
import org.torchnnapi.kernels.KernelPool;
import org.torchnnapi.program.ValueType;

/** A stack against its layers, one after the other. */
class RecurrentStackOpTest {
    private static final int INPUTS = 3;
    private static final int HIDDEN = 21;

    private final Random random = new Random(9);

    @AfterEach
    void restoreThreads() {
        KernelPool.shared().setNumThreads(Runtime.getRuntime().availableProcessors());
    }

    @ParameterizedTest
    @EnumSource(Cell.class)
    void isItsLayers(Cell cell) {
        for (int layers = 1; layers <= 3; layers++) {
            for (int steps : new int[] {1, 6, 7, 30, 31, 57}) {
                check(cell, layers, steps, 1 + steps % 4);
            }
        }
    }

    private void check(Cell cell, int count, int steps, int batch) {
        int states = cell == Cell.LSTM ? 2 : 1;
        List<RecurrentOp> layers = new ArrayList<>();
        List<Object> inputs = new ArrayList<>(List.of(floats(steps * batch * INPUTS)));
        List<ValueType> types = new ArrayList<>(List.of(ValueType.floats(steps, batch, INPUTS)));
        for (int i = 0; i < count; i++) {
            layers.add(layer(cell, i == 0 ? INPUTS : HIDDEN, HIDDEN, false));
            for (int s = 0; s < states; s++) {
                inputs.add(floats(batch * HIDDEN));
                types.add(ValueType.floats(batch, HIDDEN));
            }
        }
        int row = batch * HIDDEN;
        float[] expected = new float[(steps + count * states) * row];
        Object x = inputs.get(0);
        for (int i = 0; i < count; i++) {
            List<Object> own = new ArrayList<>(List.of(x));
            own.addAll(inputs.subList(1 + i * states, 1 + (i + 1) * states));
            List<ValueType> ownTypes =
                    List.of(ValueType.floats(steps, batch, i == 0 ? INPUTS : HIDDEN), types.get(1), types.get(1));
            float[] out = (float[]) Ops.run(layers.get(i), ownTypes.subList(0, 1 + states), own.toArray());
            System.arraycopy(out, (steps - 1) * row, expected, (steps + i) * row, row);
            if (states == 2) {
                System.arraycopy(out, steps * row, expected, (steps + count + i) * row, row);
            }
            x = Arrays.copyOf(out, steps * row);
        }
        System.arraycopy((float[]) x, 0, expected, 0, steps * row);
        for (int threads = 1; threads <= 3; threads++) {
            KernelPool.shared().setNumThreads(threads);
            assertArrayEquals(
                    expected,
                    (float[]) Ops.run(new RecurrentStackOp(layers), types, inputs.toArray()),
                    count + " layers, " + steps + " steps");
        }
    }

    @Test
    void takesForwardLayersThatFitEachOther() {
        RecurrentOp first = layer(Cell.GRU, INPUTS, HIDDEN, false);
        for (RecurrentOp second : List.of(
                layer(Cell.GRU, HIDDEN, HIDDEN, true),
                layer(Cell.LSTM, HIDDEN, HIDDEN, false),
                layer(Cell.GRU, HIDDEN, HIDDEN + 1, false),
                layer(Cell.GRU, INPUTS, HIDDEN, false))) {
            assertThrows(
                    IllegalArgumentException.class, () -> new RecurrentStackOp(List.of(first, second)), second.label());
        }
    }

    @Test
    void checksItsInputs() {
        RecurrentStackOp stack = new RecurrentStackOp(
                List.of(layer(Cell.GRU, INPUTS, HIDDEN, false), layer(Cell.GRU, HIDDEN, HIDDEN, false)));
        ValueType state = ValueType.floats(2, HIDDEN);
        ValueType x = ValueType.floats(5, 2, INPUTS);
        assertEquals(ValueType.floats(7, 2, HIDDEN), stack.result(List.of(x, state, state)));
        assertThrows(IllegalArgumentException.class, () -> stack.result(List.of(x, state)));
        assertThrows(
                IllegalArgumentException.class, () -> stack.result(List.of(x, state, ValueType.floats(3, HIDDEN))));
        ValueType more = ValueType.floats(5, HIDDEN);
        assertEquals(
                "sequences: 5 (expected: at most 4)",
                assertThrows(
                                IllegalArgumentException.class,
                                () -> stack.result(List.of(ValueType.floats(5, 5, INPUTS), more, more)))
                        .getMessage());
    }

    @Test
    void suitsLongSequencesOfSmallLayers() {
        assertTrue(RecurrentStackOp.suits(Cell.GRU, 128, 2, 100, 1));
        assertFalse(RecurrentStackOp.suits(Cell.GRU, 128, 1, 100, 1));
        assertFalse(RecurrentStackOp.suits(Cell.GRU, 128, 2, 10, 1));
        assertFalse(RecurrentStackOp.suits(Cell.GRU, 128, 2, 100, 5));
        assertFalse(RecurrentStackOp.suits(Cell.GRU, 1024, 2, 100, 1));
    }

    private RecurrentOp layer(Cell cell, int inputs, int hidden, boolean reverse) {
        int rows = cell.gates() * hidden;
        return new RecurrentOp(
                cell,
                inputs,
                hidden,
                floats(rows * inputs),
                floats(rows * hidden),
                floats(rows),
                floats(rows),
                reverse);
    }

    private float[] floats(int count) {
        float[] values = new float[count];
        for (int i = 0; i < count; i++) {
            values[i] = random.nextFloat() - 0.5f;
        }
        return values;
    }
}
