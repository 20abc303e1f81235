package org.torchnnapi.program.op;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.torchnnapi.kernels.KernelPool;
import org.torchnnapi.program.ValueType;

/** Against plain loops in double, over batches that are and are not shared out. */
class RnnStepsOpTest {
    private static final int STEPS = 4;

    private final Random random = new Random(5);

    @ParameterizedTest
    @EnumSource(CellFunction.class)
    void equalsItsTwin(CellFunction function) {
        for (int units : new int[] {1, 7, 19}) {
            for (int batch : new int[] {1, 3, 8, 11}) {
                for (boolean reverse : new boolean[] {false, true}) {
                    check(function, units, batch, reverse);
                }
            }
        }
    }

    @Test
    void unitsDividedBetweenThreads() {
        for (int threads = 1; threads <= 3; threads++) {
            KernelPool.shared().setNumThreads(threads);
            check(CellFunction.TANH, 515, 1, false);
            check(CellFunction.RELU6, 633, 7, true);
        }
    }

    @AfterEach
    void restoreThreads() {
        KernelPool.shared().setNumThreads(Runtime.getRuntime().availableProcessors());
    }

    private void check(CellFunction function, int units, int batch, boolean reverse) {
        List<ValueType> types = List.of(ValueType.floats(STEPS, batch, units), ValueType.floats(batch, units));
        float[] weights = (float[]) Ops.random(random, ValueType.floats(units, units));
        float[] sums = (float[]) Ops.random(random, types.get(0));
        float[] state = (float[]) Ops.random(random, types.get(1));
        float[] out = (float[]) Ops.run(new RnnStepsOp(units, weights, function, reverse), types, sums, state);
        double[] h = new double[batch * units];
        for (int i = 0; i < h.length; i++) {
            h[i] = state[i];
        }
        for (int i = 0; i < STEPS; i++) {
            int row = (reverse ? STEPS - 1 - i : i) * batch * units;
            for (int b = 0; b < batch; b++) {
                for (int u = 0; u < units; u++) {
                    double sum = sums[row + b * units + u];
                    for (int k = 0; k < units; k++) {
                        sum += weights[u * units + k] * h[b * units + k];
                    }
                    double expected = Cells.apply(function, sum);
                    float actual = out[row + b * units + u];
                    assertEquals(expected, actual, 1e-4 * (1 + Math.abs(expected)), units + " units");
                }
            }
            for (int k = 0; k < h.length; k++) {
                h[k] = out[row + k];
            }
        }
    }

    @ParameterizedTest
    @EnumSource(value = CellFunction.class, names = "TANH")
    void checksItsInputs(CellFunction function) {
        RnnStepsOp op = new RnnStepsOp(3, new float[9], function, false);
        assertThrows(IllegalArgumentException.class, () -> op.result(List.of(ValueType.floats(2, 5, 3))));
        assertThrows(
                IllegalArgumentException.class,
                () -> op.result(List.of(ValueType.floats(2, 5, 4), ValueType.floats(5, 3))));
        assertThrows(
                IllegalArgumentException.class,
                () -> op.result(List.of(ValueType.floats(2, 5, 3), ValueType.floats(4, 3))));
    }
}
