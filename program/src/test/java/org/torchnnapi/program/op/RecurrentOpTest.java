package org.torchnnapi.program.op;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.Buffer;
import java.nio.FloatBuffer;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.torchnnapi.kernels.FloatRecurrent;
import org.torchnnapi.kernels.FloatRecurrent.Cell;
import org.torchnnapi.kernels.FloatRecurrent.Strides;
import org.torchnnapi.kernels.KernelPool;
import org.torchnnapi.program.GraphBuilder;
import org.torchnnapi.program.ImageStorage;
import org.torchnnapi.program.Plain;
import org.torchnnapi.program.ValueType;

/** A program's layer against its kernel, step by step. */
class RecurrentOpTest {
    private static final int STEPS = 5;
    private static final int INPUTS = 3;
    /** The sequences, and hidden units, of a layer whose sequences threads share, and of one whose units. */
    private static final int[][] SIZES = {{6, 7}, {2, 210}};

    private final Random random = new Random(8);

    @ParameterizedTest
    @EnumSource(Cell.class)
    void isItsSteps(Cell cell) {
        for (boolean reverse : new boolean[] {false, true}) {
            for (int[] sizes : SIZES) {
                for (int threads = 1; threads <= 3; threads++) {
                    KernelPool.shared().setNumThreads(threads);
                    check(cell, reverse, sizes[0], sizes[1]);
                }
            }
        }
    }

    @AfterEach
    void restoreThreads() {
        KernelPool.shared().setNumThreads(Runtime.getRuntime().availableProcessors());
    }

    private void check(Cell cell, boolean reverse, int batch, int hidden) {
        int rows = cell.gates() * hidden;
        RecurrentOp op = new RecurrentOp(
                cell, INPUTS, hidden, floats(rows * INPUTS), weights(rows, hidden), floats(rows), null, reverse);
        float[] x = floats(STEPS * batch * INPUTS);
        float[] h = floats(batch * hidden);
        float[] c = floats(batch * hidden);
        float[][] inputs = cell == Cell.LSTM ? new float[][] {x, h, c} : new float[][] {x, h};

        GraphBuilder builder = new GraphBuilder();
        int[] values = new int[inputs.length];
        Buffer[] in = new Buffer[inputs.length];
        for (int i = 0; i < inputs.length; i++) {
            values[i] = builder.input(
                    i == 0 ? ValueType.floats(STEPS, batch, INPUTS) : ValueType.floats(batch, hidden),
                    ImageStorage.DECLARED);
            in[i] = FloatBuffer.wrap(inputs[i].clone());
        }
        builder.output(builder.add(op, values), ImageStorage.DECLARED);
        float[] out = new float[(STEPS + (cell == Cell.LSTM ? 1 : 0)) * batch * hidden];
        Plain.shared(builder.build()).newRun().execute(in, new Buffer[] {FloatBuffer.wrap(out)}, () -> {});

        float[] expected = new float[out.length];
        FloatRecurrent step =
                FloatRecurrent.plan(cell, INPUTS, hidden, op.inputWeights(), op.hiddenWeights(), op.inputBias(), null);
        for (int i = 0; i < STEPS; i++) {
            int t = reverse ? STEPS - 1 - i : i;
            step.run(
                    x,
                    new Strides(t * batch * INPUTS, 0, INPUTS),
                    expected,
                    new Strides(t * batch * hidden, 0, hidden),
                    1,
                    batch,
                    false,
                    h,
                    0,
                    c,
                    0,
                    0,
                    step.units(batch));
        }
        if (cell == Cell.LSTM) {
            System.arraycopy(c, 0, expected, STEPS * batch * hidden, batch * hidden);
        }
        assertArrayEquals(expected, out, 1e-6f, cell + (reverse ? " reversed" : ""));
    }

    @ParameterizedTest
    @EnumSource(Cell.class)
    void checksItsInputs(Cell cell) {
        int rows = cell.gates() * 7;
        RecurrentOp op =
                new RecurrentOp(cell, INPUTS, 7, new float[rows * INPUTS], new float[rows * 7], null, null, false);
        ValueType state = ValueType.floats(6, 7);
        assertThrows(IllegalArgumentException.class, () -> op.result(List.of(ValueType.floats(STEPS, 6, INPUTS))));
        assertThrows(
                IllegalArgumentException.class,
                () -> op.result(List.of(ValueType.floats(STEPS, 6, INPUTS + 1), state, state)));
        assertThrows(
                IllegalArgumentException.class,
                () -> op.result(List.of(ValueType.floats(STEPS, 6 + 1, INPUTS), state)));
    }

    /** Small ones, for roundings not to grow from step to step. */
    private float[] weights(int rows, int columns) {
        float[] weights = floats(rows * columns);
        for (int i = 0; i < weights.length; i++) {
            weights[i] /= columns;
        }
        return weights;
    }

    private float[] floats(int count) {
        float[] values = new float[count];
        for (int i = 0; i < count; i++) {
            values[i] = random.nextFloat() - 0.5f;
        }
        return values;
    }
}
