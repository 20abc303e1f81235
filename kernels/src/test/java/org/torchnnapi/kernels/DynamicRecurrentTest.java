package org.torchnnapi.kernels;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.torchnnapi.kernels.FloatRecurrent.Cell;
import org.torchnnapi.kernels.internal.DynamicKernels;
import org.torchnnapi.kernels.internal.portable.PortableDynamicKernels;

class DynamicRecurrentTest {
    private static final double TOLERANCE = 1e-6;
    /** A step of the output's bytes, which a rounding can make another, times the weights. */
    private static final double TOLERANCE_OF_LAYERS = 5e-3;

    private final Random random = new Random(9);

    @ParameterizedTest
    @EnumSource
    void gatesEqualTheirTwin(Cell cell) {
        DynamicKernels portable = new PortableDynamicKernels();
        for (int units = 1; units < 40; units++) {
            float[] x = Twins.randomFloats(random, cell.gates() * units + 1);
            float[] h = Twins.randomFloats(random, cell.gates() * units + 2);
            float[] actual = Twins.randomFloats(random, 2 * units + 3);
            float[] expected = actual.clone();
            DynamicKernels.chosen().gates(cell, units, x, 1, h, 2, actual, 1, units + 2);
            portable.gates(cell, units, x, 1, h, 2, expected, 1, units + 2);
            for (int i = 0; i < actual.length; i++) {
                assertEquals(expected[i], actual[i], TOLERANCE, cell + " of " + units + " units, element " + i);
            }
        }
    }

    private DynamicProduct product(int inputs, int outputs, double scale) {
        byte[] weights = new byte[inputs * outputs];
        random.nextBytes(weights);
        return DynamicProduct.plan(
                inputs,
                outputs,
                new QuantizedWeights(weights, true, new int[] {0}),
                new float[] {(float) scale},
                Twins.randomFloats(random, outputs),
                false);
    }

    @ParameterizedTest
    @EnumSource
    void layersEqualTheirDefinition(Cell cell) {
        for (int[] shape : new int[][] {{1, 1, 1, 1}, {3, 2, 5, 7}, {4, 3, 16, 33}, {9, 1, 8, 20}}) {
            for (boolean reverse : new boolean[] {false, true}) {
                check(cell, shape[0], shape[1], shape[2], shape[3], reverse);
            }
        }
    }

    private void check(Cell cell, int steps, int sequences, int inputs, int units, boolean reverse) {
        int gates = cell.gates() * units;
        DynamicProduct ofInput = product(inputs, gates, 0.004);
        DynamicProduct ofHidden = product(units, gates, 0.3 / 127 / Math.sqrt(units));
        DynamicRecurrent layer = DynamicRecurrent.of(cell, ofInput, ofHidden);
        float[] in = Twins.randomFloats(random, steps * sequences * inputs);
        float[] state = Twins.randomFloats(random, sequences * units);
        float[] cells = Twins.randomFloats(random, sequences * units);
        float[] h = state.clone();
        float[] c = cells.clone();
        float[] out = new float[steps * sequences * units];
        layer.run(in, 0, out, 0, steps, sequences, reverse, state, 0, cells, 0, layer.scratch(steps, sequences));
        float[] x = multiplied(ofInput, in, steps * sequences);
        DynamicKernels portable = new PortableDynamicKernels();
        for (int i = 0; i < steps; i++) {
            int step = reverse ? steps - 1 - i : i;
            float[] y = multiplied(ofHidden, h, sequences);
            for (int s = 0; s < sequences; s++) {
                float[] both = new float[2 * units];
                System.arraycopy(h, s * units, both, 0, units);
                System.arraycopy(c, s * units, both, units, units);
                portable.gates(cell, units, x, (step * sequences + s) * gates, y, s * gates, both, 0, units);
                System.arraycopy(both, 0, h, s * units, units);
                System.arraycopy(both, units, c, s * units, units);
                for (int u = 0; u < units; u++) {
                    assertEquals(
                            h[s * units + u],
                            out[(step * sequences + s) * units + u],
                            TOLERANCE_OF_LAYERS,
                            cell + " step " + step + " unit " + u);
                }
            }
        }
        for (int u = 0; u < sequences * units; u++) {
            assertEquals(h[u], state[u], TOLERANCE_OF_LAYERS, cell + " state " + u);
            assertEquals(c[u], cells[u], cell == Cell.LSTM ? TOLERANCE_OF_LAYERS : 0, cell + " cell " + u);
        }
    }

    private static float[] multiplied(DynamicProduct product, float[] rows, int count) {
        float[] range = new float[2];
        DynamicQuantization.range(rows, 0, rows.length, range, 0);
        DynamicQuantization q = DynamicQuantization.of(range[0], range[1], 0, 255);
        byte[] bytes = new byte[count * DynamicProduct.rowBytes(product.inputs())];
        q.quantize(rows, 0, bytes, 0, count, product.inputs());
        float[] out = new float[count * product.outputs()];
        product.run(bytes, 0, count, q, out, 0, 0, product.units());
        return out;
    }

    @Test
    void checksItsArguments() {
        assertThrows(
                IllegalArgumentException.class,
                () -> DynamicRecurrent.of(Cell.LSTM, product(2, 12, 1), product(4, 16, 1)));
        assertThrows(
                IllegalArgumentException.class,
                () -> DynamicRecurrent.of(Cell.GRU, product(2, 16, 1), product(4, 16, 1)));
        DynamicRecurrent layer = DynamicRecurrent.of(Cell.GRU, product(2, 12, 1), product(4, 12, 1));
        assertThrows(
                IllegalArgumentException.class,
                () -> layer.run(
                        new float[3], 0, new float[8], 0, 2, 1, false, new float[4], 0, null, 0, layer.scratch(2, 1)));
        assertThrows(
                IllegalArgumentException.class,
                () -> layer.run(
                        new float[4], 0, new float[8], 0, 2, 1, false, new float[4], 0, null, 0, layer.scratch(1, 1)));
    }
}
