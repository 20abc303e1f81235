package org.torchnnapi.kernels;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.Random;
import java.util.function.IntToDoubleFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.torchnnapi.kernels.FloatRecurrent.Cell;
import org.torchnnapi.kernels.FloatRecurrent.Strides;

class FloatRecurrentTest {
    private static final int[] HIDDEN = {1, 4, 5, 8, 15, 16, 17, 33, 100};
    private static final int[] INPUTS = {1, 3, 40};
    private static final int[] STEPS = {1, 2, 7, 33, 70};
    private static final int[] BATCHES = {1, 2, 3, 5, 9};

    private final Random random = new Random(5);

    /** A layer with random weights, states, inputs and outputs, and what its definition says. */
    private final class Layer {
        final Cell cell;
        final int inputs;
        final int hidden;
        final float[] inputWeights;
        final float[] hiddenWeights;
        final float[] inputBias;
        final float[] hiddenBias;

        Layer(Cell cell, int inputs, int hidden, boolean biased) {
            this.cell = cell;
            this.inputs = inputs;
            this.hidden = hidden;
            int rows = cell.gates() * hidden;
            inputWeights = Twins.randomFloats(random, rows * inputs);
            hiddenWeights = Twins.randomFloats(random, rows * hidden);
            /* Larger ones make a chaotic system, which magnifies roundings from step to step. */
            for (int i = 0; i < hiddenWeights.length; i++) {
                hiddenWeights[i] /= (float) Math.sqrt(hidden);
            }
            inputBias = biased ? Twins.randomFloats(random, rows) : null;
            hiddenBias = biased ? Twins.randomFloats(random, rows) : null;
        }

        FloatRecurrent plan() {
            return FloatRecurrent.plan(cell, inputs, hidden, inputWeights, hiddenWeights, inputBias, hiddenBias);
        }

        /** One step of one sequence. */
        void step(float[] in, int from, double[] h, double[] c) {
            double[] x = sums(inputWeights, inputBias, inputs, i -> in[from + i]);
            double[] y = sums(hiddenWeights, hiddenBias, hidden, i -> h[i]);
            for (int i = 0; i < hidden; i++) {
                double first = sigmoid(x[i] + y[i]);
                double second = sigmoid(x[hidden + i] + y[hidden + i]);
                if (cell == Cell.GRU) {
                    double fresh = Math.tanh(x[2 * hidden + i] + first * y[2 * hidden + i]);
                    h[i] = (1 - second) * fresh + second * h[i];
                } else {
                    c[i] = second * c[i] + first * Math.tanh(x[2 * hidden + i] + y[2 * hidden + i]);
                    h[i] = sigmoid(x[3 * hidden + i] + y[3 * hidden + i]) * Math.tanh(c[i]);
                }
            }
        }

        private double[] sums(float[] weights, float[] bias, int columns, IntToDoubleFunction vector) {
            double[] sums = new double[cell.gates() * hidden];
            for (int row = 0; row < sums.length; row++) {
                sums[row] = bias == null ? 0 : bias[row];
                for (int i = 0; i < columns; i++) {
                    sums[row] += weights[row * columns + i] * vector.applyAsDouble(i);
                }
            }
            return sums;
        }

        static double sigmoid(double x) {
            return 1 / (1 + Math.exp(-x));
        }
    }

    @ParameterizedTest
    @EnumSource(Cell.class)
    void equalsItsTwin(Cell cell) {
        int variant = 0;
        for (int hidden : HIDDEN) {
            for (int inputs : INPUTS) {
                int steps = STEPS[variant % STEPS.length];
                int batch = BATCHES[variant / 2 % BATCHES.length];
                check(
                        new Layer(cell, inputs, hidden, variant % 3 > 0),
                        steps,
                        batch,
                        variant % 2 == 1,
                        variant % 4 > 1);
                variant++;
            }
        }
    }

    private void check(Layer layer, int steps, int batch, boolean reverse, boolean batchFirst) {
        int width = layer.hidden + 3;
        float[] in = Twins.randomFloats(random, 2 + steps * batch * layer.inputs);
        float[] out = Twins.randomFloats(random, 1 + steps * batch * width);
        float[] hidden = Twins.randomFloats(random, batch * layer.hidden + 1);
        float[] cells = layer.cell == Cell.LSTM ? Twins.randomFloats(random, batch * layer.hidden + 2) : null;
        Strides inAt = batchFirst
                ? new Strides(2, layer.inputs, steps * layer.inputs)
                : new Strides(2, batch * layer.inputs, layer.inputs);
        Strides outAt = batchFirst ? new Strides(1, width, steps * width) : new Strides(1, batch * width, width);
        float[] expected = out.clone();
        float[] expectedHidden = hidden.clone();
        float[] expectedCells = cells == null ? null : cells.clone();
        for (int s = 0; s < batch; s++) {
            double[] h = doubles(hidden, 1 + s * layer.hidden, layer.hidden);
            double[] c = cells == null ? null : doubles(cells, 2 + s * layer.hidden, layer.hidden);
            for (int i = 0; i < steps; i++) {
                int t = reverse ? steps - 1 - i : i;
                layer.step(in, inAt.offset() + t * inAt.step() + s * inAt.sequence(), h, c);
                for (int u = 0; u < layer.hidden; u++) {
                    expected[outAt.offset() + t * outAt.step() + s * outAt.sequence() + u] = (float) h[u];
                }
            }
            for (int u = 0; u < layer.hidden; u++) {
                expectedHidden[1 + s * layer.hidden + u] = (float) h[u];
                if (c != null) {
                    expectedCells[2 + s * layer.hidden + u] = (float) c[u];
                }
            }
        }
        FloatRecurrent planned = layer.plan();
        int half = planned.units(batch) / 2;
        planned.run(in, inAt, out, outAt, steps, batch, reverse, hidden, 1, cells, 2, half, planned.units(batch));
        planned.run(in, inAt, out, outAt, steps, batch, reverse, hidden, 1, cells, 2, 0, half);
        String what = layer.cell + " " + layer.inputs + " " + layer.hidden + " steps " + steps + " batch " + batch;
        float tolerance = 2e-5f;
        assertArrayEquals(expected, out, tolerance, what);
        assertArrayEquals(expectedHidden, hidden, tolerance, what);
        if (cells != null) {
            assertArrayEquals(expectedCells, cells, 4 * tolerance, what);
        }
    }

    private static double[] doubles(float[] values, int from, int count) {
        double[] out = new double[count];
        Arrays.setAll(out, i -> values[from + i]);
        return out;
    }

    @Test
    void doesNotDependOnThreads() {
        Layer layer = new Layer(Cell.GRU, 7, 20, true);
        int batch = 10;
        float[] in = Twins.randomFloats(random, 6 * batch * 7);
        Strides inAt = new Strides(0, batch * 7, 7);
        Strides outAt = new Strides(0, batch * 20, 20);
        float[][] outs = new float[2][6 * batch * 20];
        for (int i = 0; i < 2; i++) {
            try (KernelPool pool = new KernelPool(i + 1)) {
                layer.plan().run(in, inAt, outs[i], outAt, 6, batch, false, new float[batch * 20], 0, null, 0, pool);
            }
        }
        assertArrayEquals(outs[0], outs[1]);
    }

    @ParameterizedTest
    @EnumSource(Cell.class)
    void stepsDoneTogetherAreThoseDoneAlone(Cell cell) {
        for (int hidden : new int[] {1, 16, 17, 100, 150}) {
            for (int batch : new int[] {1, 3, 4}) {
                for (boolean reverse : new boolean[] {false, true}) {
                    together(new Layer(cell, 5, hidden, true), 37, batch, reverse);
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Cell.class)
    void stepsDoneInPartsAreThoseDoneAtOnce(Cell cell) {
        for (int batch : new int[] {1, 3, 4}) {
            for (int part : new int[] {2, 8, 36, 38}) {
                parts(new Layer(cell, 5, 17, true).plan(), 37, batch, part, cell == Cell.LSTM);
            }
        }
        FloatRecurrent.Together together = new Layer(cell, 1, 2, true).plan().together(1);
        Strides at = new Strides(0, 2, 2);
        float[] sums = new float[together.sumsSize(2)];
        assertEquals(
                "first step: 1 (expected: an even number)",
                assertThrows(IllegalArgumentException.class, () -> together.projected(sums, new float[8], at, 1, 2))
                        .getMessage());
        assertThrows(IllegalArgumentException.class, () -> together.projected(sums, new float[3], at, 0, 2));
        assertThrows(IllegalArgumentException.class, () -> together.projected(sums, new float[8], at, 0, 4));
        assertThrows(IllegalArgumentException.class, () -> together.project(new float[8], at, 0, 4, sums));
        assertThrows(IllegalArgumentException.class, () -> together.project(new float[2], at, 0, 2, sums));
        assertThrows(IllegalArgumentException.class, () -> together.steps(new float[1], at, new float[4], at, 2));
    }

    private void parts(FloatRecurrent layer, int steps, int batch, int part, boolean hasCells) {
        float[] in = Twins.randomFloats(random, steps * batch * 5);
        float[][] states = {Twins.randomFloats(random, batch * 17), Twins.randomFloats(random, batch * 17)};
        float[][] after = {new float[batch * 17], new float[batch * 17]};
        Strides inAt = new Strides(0, batch * 5, 5);
        Strides outAt = new Strides(0, batch * 17, 17);
        float[] out = new float[steps * batch * 17];
        FloatRecurrent.Together together = layer.together(batch);
        together.begin(states[0], 0, states[1], 0);
        for (int first = 0; first < steps; first += part) {
            int end = Math.min(steps, first + part);
            float[] sums = new float[together.sumsSize(end - first)];
            together.project(in, inAt, first, end, sums);
            together.projected(sums, out, outAt, first, end);
        }
        together.end(steps, after[0], 0, after[1], 0);
        float[] atOnce = new float[out.length];
        together.begin(states[0], 0, states[1], 0);
        together.steps(in, inAt, atOnce, outAt, steps);
        assertArrayEquals(atOnce, out);
        float[] alone = new float[out.length];
        layer.run(in, inAt, alone, outAt, steps, batch, false, states[0], 0, states[1], 0, 0, 1);
        assertArrayEquals(alone, out);
        assertArrayEquals(states[0], after[0]);
        if (hasCells) {
            assertArrayEquals(states[1], after[1]);
        }
    }

    private void together(Layer layer, int steps, int batch, boolean reverse) {
        float[] in = Twins.randomFloats(random, steps * batch * 5);
        float[] hidden = Twins.randomFloats(random, batch * layer.hidden);
        float[] cells = Twins.randomFloats(random, batch * layer.hidden);
        Strides inAt = new Strides(0, batch * 5, 5);
        Strides outAt = new Strides(0, batch * layer.hidden, layer.hidden);
        FloatRecurrent planned = layer.plan();
        float[] out = new float[steps * batch * layer.hidden];
        FloatRecurrent.Together together = planned.together(batch);
        together.begin(hidden, 0, cells, 0);
        for (int step = 0; step < steps; step++) {
            // In any order, some at once.
            int half = planned.shares() / 2;
            together.step(in, inAt, out, outAt, steps, reverse, step, half, planned.shares());
            for (int share = half - 1; share >= 0; share--) {
                together.step(in, inAt, out, outAt, steps, reverse, step, share, share + 1);
            }
        }
        float[] lastHidden = new float[hidden.length];
        float[] lastCells = new float[cells.length];
        together.end(steps, lastHidden, 0, lastCells, 0);
        float[] alone = new float[out.length];
        planned.run(in, inAt, alone, outAt, steps, batch, reverse, hidden, 0, cells, 0, 0, 1);
        assertArrayEquals(alone, out);
        assertArrayEquals(hidden, lastHidden);
        if (layer.cell == Cell.LSTM) {
            assertArrayEquals(cells, lastCells);
        }
    }

    @Test
    void largeLayersAreDivisible() {
        assertTrue(FloatRecurrent.isDivisible(Cell.LSTM, 256));
        assertFalse(FloatRecurrent.isDivisible(Cell.LSTM, 100));
        assertThrows(
                IllegalArgumentException.class,
                () -> new Layer(Cell.GRU, 1, 2, false).plan().together(FloatRecurrent.SEQUENCES + 1));
    }

    @Test
    void noStepsChangeNothing() {
        float[] hidden = {3, 4};
        FloatRecurrent plan = new Layer(Cell.GRU, 1, 2, true).plan();
        plan.run(
                new float[0],
                new Strides(0, 1, 1),
                new float[0],
                new Strides(0, 2, 2),
                0,
                1,
                false,
                hidden,
                0,
                null,
                0,
                0,
                1);
        assertArrayEquals(new float[] {3, 4}, hidden);
    }

    @Test
    void checksItsArguments() {
        assertEquals(
                "hidden weights length: 3 (expected: 12)",
                assertThrows(
                                IllegalArgumentException.class,
                                () -> FloatRecurrent.plan(Cell.GRU, 1, 2, new float[6], new float[3], null, null))
                        .getMessage());
        FloatRecurrent plan = new Layer(Cell.GRU, 1, 2, true).plan();
        Strides in = new Strides(0, 1, 1);
        Strides out = new Strides(0, 2, 2);
        assertThrows(
                IllegalArgumentException.class,
                () -> plan.run(new float[2], in, new float[6], out, 3, 1, false, new float[2], 0, null, 0, 0, 1));
        assertThrows(
                IllegalArgumentException.class,
                () -> plan.run(new float[3], in, new float[5], out, 3, 1, false, new float[2], 0, null, 0, 0, 1));
        assertThrows(
                IllegalArgumentException.class,
                () -> plan.run(new float[3], in, new float[6], out, 3, 1, false, new float[1], 0, null, 0, 0, 1));
    }
}
