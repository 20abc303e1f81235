package org.torchnnapi.benchmarks.kernels;

import static org.torchnnapi.benchmarks.kernels.RandomArrays.floats;

import java.util.ArrayList;
import java.util.List;
import org.torchnnapi.kernels.FloatRecurrent;
import org.torchnnapi.kernels.Gemm;

/** Matrix products, and recurrent layers, whose time goes into products. */
final class ProductCases {
    private static final int HIDDEN = 128;
    private static final int STEPS = 100;

    private ProductCases() {}

    static List<KernelCase> all() {
        List<KernelCase> cases = new ArrayList<>();
        // A cube, one head of attention over 197 places, and a row.
        for (int[] mnk : new int[][] {{128, 128, 128}, {197, 197, 64}, {1, 1000, 1280}}) {
            String name = mnk[0] == mnk[1] && mnk[1] == mnk[2]
                    ? "GEMM_" + mnk[0]
                    : "GEMM_" + mnk[0] + "X" + mnk[1] + "X" + mnk[2];
            cases.add(new KernelCase(
                    name,
                    KernelCase.Unit.FLOAT_MULTIPLY_ADDS,
                    (long) mnk[0] * mnk[1] * mnk[2],
                    () -> gemm(mnk[0], mnk[1], mnk[2])));
        }
        // Layers of a keyword spotter over a second.
        for (FloatRecurrent.Cell cell : FloatRecurrent.Cell.values()) {
            cases.add(new KernelCase(
                    "RECURRENT_" + cell + "_" + HIDDEN + "_STEPS_" + STEPS,
                    KernelCase.Unit.FLOAT_MULTIPLY_ADDS,
                    (long) STEPS * cell.gates() * HIDDEN * (HIDDEN + HIDDEN),
                    () -> recurrent(cell)));
        }
        cases.add(new KernelCase(
                "RECURRENT_GRU_" + HIDDEN + "_PARTS",
                KernelCase.Unit.FLOAT_MULTIPLY_ADDS,
                (long) STEPS * FloatRecurrent.Cell.GRU.gates() * HIDDEN * (HIDDEN + HIDDEN),
                ProductCases::parts));
        int large = 512;
        cases.add(new KernelCase(
                "RECURRENT_LSTM_512_TOGETHER",
                KernelCase.Unit.FLOAT_MULTIPLY_ADDS,
                8L * large * large,
                () -> together(large)));
        return cases;
    }

    private static Runnable gemm(int m, int n, int k) {
        float[] a = floats(m * k);
        float[] b = floats(k * n);
        float[] c = new float[m * n];
        Gemm gemm = Gemm.plan(m, n, k);
        return () -> gemm.run(a, 0, b, 0, c, 0, 0, gemm.units());
    }

    private static Runnable recurrent(FloatRecurrent.Cell cell) {
        int rows = cell.gates() * HIDDEN;
        FloatRecurrent layer =
                FloatRecurrent.plan(cell, HIDDEN, HIDDEN, floats(rows * HIDDEN), floats(rows * HIDDEN), null, null);
        FloatRecurrent.Strides at = new FloatRecurrent.Strides(0, HIDDEN, HIDDEN);
        float[] in = floats(STEPS * HIDDEN);
        float[] out = new float[STEPS * HIDDEN];
        float[] hidden = new float[HIDDEN];
        float[] cells = new float[HIDDEN];
        return () -> layer.run(in, at, out, at, STEPS, 1, false, hidden, 0, cells, 0, 0, 1);
    }

    /** A layer in parts of a few steps, as where another thread does the next layer meanwhile. */
    private static Runnable parts() {
        int weights = FloatRecurrent.Cell.GRU.gates() * HIDDEN * HIDDEN;
        FloatRecurrent layer = FloatRecurrent.plan(
                FloatRecurrent.Cell.GRU, HIDDEN, HIDDEN, floats(weights), floats(weights), null, null);
        FloatRecurrent.Strides at = new FloatRecurrent.Strides(0, HIDDEN, HIDDEN);
        float[] in = floats(STEPS * HIDDEN);
        float[] out = new float[STEPS * HIDDEN];
        float[] state = new float[HIDDEN];
        FloatRecurrent.Together together = layer.together(1);
        int part = 6;
        float[] sums = new float[together.sumsSize(part)];
        return () -> {
            together.begin(state, 0, null, 0);
            for (int first = 0; first < STEPS; first += part) {
                int end = Math.min(STEPS, first + part);
                together.project(in, at, first, end, sums);
                together.projected(sums, out, at, first, end);
            }
            together.end(STEPS, state, 0, null, 0);
        };
    }

    /** A step of a layer whose units threads share, all by one. */
    private static Runnable together(int hidden) {
        int weights = 4 * hidden * hidden;
        FloatRecurrent layer = FloatRecurrent.plan(
                FloatRecurrent.Cell.LSTM, hidden, hidden, floats(weights), floats(weights), null, null);
        FloatRecurrent.Strides at = new FloatRecurrent.Strides(0, hidden, hidden);
        float[] in = floats(hidden);
        float[] out = new float[hidden];
        float[] state = new float[hidden];
        float[] cells = new float[hidden];
        FloatRecurrent.Together together = layer.together(1);
        return () -> {
            together.begin(state, 0, cells, 0);
            together.step(in, at, out, at, 1, false, 0, 0, layer.shares());
            together.end(1, state, 0, cells, 0);
        };
    }
}
