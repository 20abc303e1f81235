package org.torchnnapi.program.op;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.Buffer;
import java.nio.FloatBuffer;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.torchnnapi.kernels.FloatRecurrent.Cell;
import org.torchnnapi.kernels.FloatRecurrent.Strides;
import org.torchnnapi.kernels.FloatRecurrent;
import org.torchnnapi.program.GraphBuilder;
import org.torchnnapi.program.ImageStorage;
import org.torchnnapi.program.Plain;
import org.torchnnapi.program.ValueType;

/** A program's layer against its kernel, step by step. */
class RecurrentTest {
    private static final int STEPS = 5;
    private static final int BATCH = 6;
    private static final int INPUTS = 3;
    private static final int HIDDEN = 7;

    private final Random random = new Random(8);

    @ParameterizedTest
    @EnumSource(Cell.class)
    void isItsSteps(Cell cell) {
        for (boolean reverse : new boolean[] {false, true}) {
            check(cell, reverse);
        }
    }

    private void check(Cell cell, boolean reverse) {
        int rows = cell.gates() * HIDDEN;
        Recurrent op = new Recurrent(cell, INPUTS, HIDDEN, floats(rows * INPUTS), floats(rows * HIDDEN), floats(rows), null, reverse);
        float[] x = floats(STEPS * BATCH * INPUTS);
        float[] h = floats(BATCH * HIDDEN);
        float[] c = floats(BATCH * HIDDEN);
        float[][] inputs = cell == Cell.LSTM ? new float[][] {x, h, c} : new float[][] {x, h};

        GraphBuilder builder = new GraphBuilder();
        int[] values = new int[inputs.length];
        Buffer[] in = new Buffer[inputs.length];
        for (int i = 0; i < inputs.length; i++) {
            values[i] = builder.input(i == 0 ? ValueType.floats(STEPS, BATCH, INPUTS) : ValueType.floats(BATCH, HIDDEN), ImageStorage.DECLARED);
            in[i] = FloatBuffer.wrap(inputs[i].clone());
        }
        builder.output(builder.add(op, values), ImageStorage.DECLARED);
        float[] out = new float[(STEPS + (cell == Cell.LSTM ? 1 : 0)) * BATCH * HIDDEN];
        Plain.shared(builder.build()).newRun().execute(in, new Buffer[] {FloatBuffer.wrap(out)}, () -> { });

        float[] expected = new float[out.length];
        FloatRecurrent step = FloatRecurrent.plan(cell, INPUTS, HIDDEN, op.inputWeights(), op.hiddenWeights(), op.inputBias(), null);
        for (int i = 0; i < STEPS; i++) {
            int t = reverse ? STEPS - 1 - i : i;
            step.run(x, new Strides(t * BATCH * INPUTS, 0, INPUTS), expected, new Strides(t * BATCH * HIDDEN, 0, HIDDEN), 1, BATCH, false, h, 0, c, 0,
                0, step.units(BATCH));
        }
        if (cell == Cell.LSTM) {
            System.arraycopy(c, 0, expected, STEPS * BATCH * HIDDEN, BATCH * HIDDEN);
        }
        assertArrayEquals(expected, out, 1e-6f, cell + (reverse ? " reversed" : ""));
    }

    @ParameterizedTest
    @EnumSource(Cell.class)
    void checksItsInputs(Cell cell) {
        int rows = cell.gates() * HIDDEN;
        Recurrent op = new Recurrent(cell, INPUTS, HIDDEN, new float[rows * INPUTS], new float[rows * HIDDEN], null, null, false);
        ValueType state = ValueType.floats(BATCH, HIDDEN);
        assertThrows(IllegalArgumentException.class, () -> op.result(List.of(ValueType.floats(STEPS, BATCH, INPUTS))));
        assertThrows(IllegalArgumentException.class, () -> op.result(List.of(ValueType.floats(STEPS, BATCH, INPUTS + 1), state, state)));
        assertThrows(IllegalArgumentException.class, () -> op.result(List.of(ValueType.floats(STEPS, BATCH + 1, INPUTS), state)));
    }

    private float[] floats(int count) {
        float[] values = new float[count];
        for (int i = 0; i < count; i++) {
            values[i] = random.nextFloat() - 0.5f;
        }
        return values;
    }
}
