package org.torchnnapi.program.op;

import java.util.Arrays;
import org.torchnnapi.kernels.BinaryOp;
import org.torchnnapi.kernels.Clamp;
import org.torchnnapi.kernels.ElementwiseOps;
import org.torchnnapi.kernels.LayerNorm;
import org.torchnnapi.kernels.UnaryOp;

/** One step of an LSTM layer for one sequence, once its sums are there. */
final class LstmGates {
    /** So little that it matters to sums that are all the same alone, which become 0. */
    private static final float EPSILON = 1e-30f;

    private final LstmWeights weights;
    private final CellFunction function;
    private final Clamp clip;
    private final int units;
    /** Where a sequence's gates begin among its sums; the input gate's is no place where it is coupled. */
    private final int forget;

    private final int fresh;
    private final int open;
    /** By gate; empty where sums stay as they are. */
    private final LayerNorm[] normalizations;

    LstmGates(LstmWeights weights, CellFunction function, Clamp clip) {
        this.weights = weights;
        this.function = function;
        this.clip = clip;
        units = weights.units();
        forget = weights.coupled() ? 0 : units;
        fresh = forget + units;
        open = fresh + units;
        normalizations = new LayerNorm[weights.normalization() == null ? 0 : weights.gates()];
        for (int i = 0; i < normalizations.length; i++) {
            normalizations[i] = LayerNorm.plan(
                    units,
                    EPSILON,
                    Arrays.copyOfRange(weights.normalization(), i * units, (i + 1) * units),
                    Arrays.copyOfRange(weights.bias(), i * units, (i + 1) * units));
        }
    }

    /**
     * @param gates the sums of all gates, overwritten
     * @param cells the state, replaced
     * @param hidden receives what each unit gives
     */
    void step(float[] gates, int at, float[] cells, int cellsAt, float[] hidden, int hiddenAt) {
        float[] peephole = weights.peephole();
        if (peephole != null) {
            for (int i = 0; i < fresh; i += units) {
                addProducts(peephole, i, cells, cellsAt, gates, at + i);
            }
        }
        for (int i = 0; i < open; i += units) {
            normalize(gates, at, i);
        }
        ElementwiseOps.unary(UnaryOp.SIGMOID, gates, at, gates, at, fresh);
        function.apply(gates, at + fresh, gates, at + fresh, units);
        if (weights.coupled()) {
            for (int u = 0; u < units; u++) {
                float kept = gates[at + u];
                float added = gates[at + fresh + u];
                cells[cellsAt + u] = added + kept * (cells[cellsAt + u] - added);
            }
        } else {
            for (int u = 0; u < units; u++) {
                cells[cellsAt + u] =
                        gates[at + forget + u] * cells[cellsAt + u] + gates[at + u] * gates[at + fresh + u];
            }
        }
        if (!clip.isNone()) {
            ElementwiseOps.clamp(cells, cellsAt, cells, cellsAt, units, clip);
        }
        if (peephole != null) {
            addProducts(peephole, fresh, cells, cellsAt, gates, at + open);
        }
        normalize(gates, at, open);
        ElementwiseOps.unary(UnaryOp.SIGMOID, gates, at + open, gates, at + open, units);
        function.apply(cells, cellsAt, gates, at, units);
        ElementwiseOps.binary(BinaryOp.MUL, gates, at, gates, at + open, hidden, hiddenAt, units, Clamp.NONE);
    }

    private void addProducts(float[] factors, int from, float[] cells, int cellsAt, float[] sums, int at) {
        for (int u = 0; u < units; u++) {
            sums[at + u] += factors[from + u] * cells[cellsAt + u];
        }
    }

    /** The sums of one gate to mean 0 and variance 1, then scaled, then with their bias. */
    private void normalize(float[] sums, int at, int gate) {
        if (normalizations.length > 0) {
            normalizations[gate / units].run(sums, at + gate, sums, at + gate, 0, 1);
        }
    }
}
