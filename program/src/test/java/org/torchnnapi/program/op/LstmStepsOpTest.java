package org.torchnnapi.program.op;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.torchnnapi.kernels.Clamp;
import org.torchnnapi.program.ValueType;

/** Every combination of what a layer may have, against plain loops in double, step by step. */
class LstmStepsOpTest {
    private static final int STEPS = 3;
    private static final int UNITS = 11;

    private final Random random = new Random(6);

    @Test
    void equalsItsTwin() {
        for (int kind = 0; kind < 32; kind++) {
            for (int batch : new int[] {1, 2, 8}) {
                check((kind & 1) != 0, (kind & 2) != 0, (kind & 4) != 0, (kind & 8) != 0, (kind & 16) != 0, batch);
            }
        }
    }

    private float[] floats(boolean wanted, int count) {
        float[] values = new float[count];
        for (int i = 0; i < count; i++) {
            values[i] = random.nextFloat() - 0.5f;
        }
        return wanted ? values : null;
    }

    private void check(
            boolean coupled, boolean peephole, boolean normalized, boolean projected, boolean clipped, int batch) {
        int gates = coupled ? 3 : 4;
        int outputs = projected ? 5 : UNITS;
        LstmWeights weights = new LstmWeights(
                UNITS,
                outputs,
                coupled,
                floats(true, gates * UNITS * outputs),
                floats(peephole, (gates - 1) * UNITS),
                floats(normalized, gates * UNITS),
                floats(normalized, gates * UNITS),
                floats(projected, outputs * UNITS),
                floats(projected, outputs));
        Clamp clip = clipped ? new Clamp(-0.3f, 0.3f) : Clamp.NONE;
        CellFunction function = clipped ? CellFunction.RELU6 : CellFunction.TANH;
        boolean reverse = peephole;
        float[] sums = floats(true, STEPS * batch * gates * UNITS);
        float[] state = floats(true, batch * outputs);
        float[] cells = floats(true, batch * UNITS);
        List<ValueType> types = List.of(
                ValueType.floats(STEPS, batch, gates * UNITS),
                ValueType.floats(batch, outputs),
                ValueType.floats(batch, UNITS));
        float[] out =
                (float[]) Ops.run(new LstmStepsOp(weights, function, clip, clip, reverse), types, sums, state, cells);
        double[] lastCells = new double[batch * UNITS];
        for (int b = 0; b < batch; b++) {
            double[] h = doubles(state, b * outputs, outputs);
            double[] c = doubles(cells, b * UNITS, UNITS);
            for (int i = 0; i < STEPS; i++) {
                int at = (reverse ? STEPS - 1 - i : i) * batch + b;
                step(weights, function, clip, doubles(sums, at * gates * UNITS, gates * UNITS), h, c);
                for (int o = 0; o < outputs; o++) {
                    assertEquals(h[o], out[at * outputs + o], 1e-4, weights + " step " + i);
                }
            }
            System.arraycopy(c, 0, lastCells, b * UNITS, UNITS);
        }
        for (int i = 0; i < lastCells.length; i++) {
            assertEquals(lastCells[i], out[STEPS * batch * outputs + i], 1e-4);
        }
    }

    private static double[] doubles(float[] values, int from, int count) {
        double[] doubles = new double[count];
        for (int i = 0; i < count; i++) {
            doubles[i] = values[from + i];
        }
        return doubles;
    }

    private static void step(LstmWeights w, CellFunction function, Clamp clip, double[] sums, double[] h, double[] c) {
        int gates = w.gates();
        for (int row = 0; row < gates * UNITS; row++) {
            for (int k = 0; k < w.outputs(); k++) {
                sums[row] += w.recurrent()[row * w.outputs() + k] * h[k];
            }
        }
        int fresh = gates - 2;
        int open = gates - 1;
        for (int gate = 0; gate < open; gate++) {
            finish(w, sums, gate, gate < fresh ? gate : -1, c);
        }
        for (int u = 0; u < UNITS; u++) {
            double forget = Cells.sigmoid(sums[(fresh - 1) * UNITS + u]);
            double input = w.coupled() ? 1 - forget : Cells.sigmoid(sums[u]);
            c[u] = limit(clip, forget * c[u] + input * Cells.apply(function, sums[fresh * UNITS + u]));
        }
        finish(w, sums, open, fresh, c);
        double[] hidden = new double[UNITS];
        for (int u = 0; u < UNITS; u++) {
            hidden[u] = Cells.sigmoid(sums[open * UNITS + u]) * Cells.apply(function, c[u]);
        }
        for (int o = 0; o < w.outputs(); o++) {
            double sum = w.projection() == null ? hidden[o] : w.projectionBias()[o];
            for (int u = 0; w.projection() != null && u < UNITS; u++) {
                sum += w.projection()[o * UNITS + u] * hidden[u];
            }
            h[o] = w.projection() == null ? sum : limit(clip, sum);
        }
    }

    private static double limit(Clamp clip, double value) {
        return Math.min(Math.max(value, clip.min()), clip.max());
    }

    /** Peephole, if the gate has one, and normalization. */
    private static void finish(LstmWeights w, double[] sums, int gate, int peephole, double[] c) {
        for (int u = 0; u < UNITS && peephole >= 0 && w.peephole() != null; u++) {
            sums[gate * UNITS + u] += w.peephole()[peephole * UNITS + u] * c[u];
        }
        if (w.normalization() != null) {
            double[] own = Arrays.copyOfRange(sums, gate * UNITS, (gate + 1) * UNITS);
            double mean = Arrays.stream(own).average().orElseThrow();
            double deviation = Math.sqrt(Arrays.stream(own)
                    .map(v -> (v - mean) * (v - mean))
                    .average()
                    .orElseThrow());
            for (int u = 0; u < UNITS; u++) {
                int at = gate * UNITS + u;
                sums[at] = (sums[at] - mean) / deviation * w.normalization()[at] + w.bias()[at];
            }
        }
    }

    @Test
    void sumsThatAreAllTheSameNormalizeToTheirBias() {
        float[] bias = floats(true, 3 * UNITS);
        LstmWeights weights = new LstmWeights(
                UNITS, UNITS, true, new float[3 * UNITS * UNITS], null, floats(true, 3 * UNITS), bias, null, null);
        float[] sums = new float[3 * UNITS];
        Arrays.fill(sums, 0.7f);
        List<ValueType> types =
                List.of(ValueType.floats(1, 1, 3 * UNITS), ValueType.floats(1, UNITS), ValueType.floats(1, UNITS));
        float[] out = (float[]) Ops.run(
                new LstmStepsOp(weights, CellFunction.TANH, Clamp.NONE, Clamp.NONE, false),
                types,
                sums,
                new float[UNITS],
                new float[UNITS]);
        for (int u = 0; u < UNITS; u++) {
            double cell = (1 - Cells.sigmoid(bias[u])) * Math.tanh(bias[UNITS + u]);
            assertEquals(Cells.sigmoid(bias[2 * UNITS + u]) * Math.tanh(cell), out[u], 1e-6);
        }
    }

    @Test
    void checksItsWeights() {
        assertThrows(
                IllegalArgumentException.class,
                () -> new LstmWeights(3, 2, true, new float[18], null, null, null, null, null));
        assertThrows(
                IllegalArgumentException.class,
                () -> new LstmWeights(3, 3, true, new float[9], null, null, null, null, null));
        assertThrows(
                IllegalArgumentException.class,
                () -> new LstmWeights(3, 3, true, new float[27], null, new float[9], null, null, null));
        LstmWeights weights = new LstmWeights(3, 3, true, new float[27], null, null, null, null, null);
        LstmStepsOp op = new LstmStepsOp(weights, CellFunction.TANH, Clamp.NONE, Clamp.NONE, false);
        assertThrows(
                IllegalArgumentException.class,
                () -> op.result(List.of(ValueType.floats(2, 5, 12), ValueType.floats(5, 3), ValueType.floats(5, 3))));
        assertThrows(
                IllegalArgumentException.class,
                () -> op.result(List.of(ValueType.floats(2, 5, 9), ValueType.floats(5, 3))));
    }
}
