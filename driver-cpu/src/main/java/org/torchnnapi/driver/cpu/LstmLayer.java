package org.torchnnapi.driver.cpu;

import org.torchnnapi.kernels.Clamp;
import org.torchnnapi.kernels.FloatRecurrent.Cell;
import org.torchnnapi.nnapi.op.LstmOperands;
import org.torchnnapi.program.op.CellFunction;
import org.torchnnapi.program.op.LstmStepsOp;
import org.torchnnapi.program.op.LstmWeights;
import org.torchnnapi.program.op.RecurrentOp;

/**
 * One direction of an LSTM layer.
 *
 * @param at where its parameters are among an operation's inputs
 * @param activation the code of the cells' function, which the limits of the cells and of the projection follow
 * @param reverse from the last step to the first
 */
record LstmLayer(LstmOperands at, int activation, boolean reverse) {
    private static final int GATES = 4;
    private static final int LAST_GATE = GATES - 1;

    /**
     * Values of a program: the outputs of all steps {@code [steps, batch, outputs]}, those of the last, and the cells
     * after it.
     */
    record Results(int all, int outputs, int cells) {}

    /** Whether an input is one of its states. */
    boolean isState(int input) {
        return input == at.state() || input == at.state() + 1;
    }

    /**
     * Without a coupled input gate, peepholes, at.projection(), at.normalization(), limits and other functions than
     * tanh.
     */
    private boolean isPlain(OperationView site, LstmWeights layer, CellFunction function, Clamp clip) {
        return !layer.coupled()
                && layer.peephole() == null
                && layer.projection() == null
                && layer.normalization() == null
                && function == CellFunction.TANH
                && clip.isNone();
    }

    /**
     * The layer over the features {@code [steps, batch, features]}, the last of which are the at.auxiliary() ones where
     * these have at.weights().
     *
     * @param weighted whether they have
     */
    Results translate(OperationView site, Translation translation, int x, boolean weighted) {
        boolean coupled = !site.has(at.weights());
        int units = site.in(at.weights() + LAST_GATE).dimension(0);
        int outputs = site.in(at.recurrent() + LAST_GATE).dimension(1);
        int gates = coupled ? GATES - 1 : GATES;
        boolean normalized = site.has(at.normalization() + LAST_GATE);
        float[] gateBias = Sequences.joined(site, at.bias(), at.bias() + GATES);
        LstmWeights layer = new LstmWeights(
                units,
                outputs,
                coupled,
                Sequences.joined(site, at.recurrent(), at.recurrent() + GATES),
                site.has(at.peephole() + LAST_GATE - 1)
                        ? Sequences.joined(site, coupled ? at.peephole() + 1 : at.peephole(), at.peephole() + LAST_GATE)
                        : null,
                normalized
                        ? Sequences.joined(
                                site, coupled ? at.normalization() + 1 : at.normalization(), at.normalization() + GATES)
                        : null,
                normalized ? gateBias : null,
                site.has(at.projection()) ? site.floats(at.projection()) : null,
                site.has(at.projection()) && site.has(at.projection() + 1) ? site.floats(at.projection() + 1) : null);
        float[] ofInput = Sequences.joined(site, at.weights(), at.weights() + GATES);
        if (weighted) {
            ofInput = Sequences.beside(
                    ofInput,
                    Sequences.joined(site, coupled ? at.auxiliary() + 1 : at.auxiliary(), at.auxiliary() + GATES),
                    gates * units);
        }
        CellFunction function = Sequences.function(site, activation);
        Clamp cellClip = Sequences.clip(site.floatValue(activation + 1));
        int before = translation.in(site, at.state());
        int cellsBefore = translation.in(site, at.state() + 1);
        int flat = isPlain(site, layer, function, cellClip)
                ? translation.add(
                        new RecurrentOp(
                                Cell.LSTM,
                                translation.type(x).dimension(2),
                                units,
                                ofInput,
                                layer.recurrent(),
                                gateBias,
                                null,
                                reverse),
                        x,
                        before,
                        cellsBefore)
                : translation.add(
                        new LstmStepsOp(
                                layer, function, cellClip, Sequences.clip(site.floatValue(activation + 2)), reverse),
                        Sequences.weighted(translation, x, ofInput, normalized ? null : gateBias),
                        before,
                        cellsBefore);
        int steps = translation.type(x).dimension(0);
        int batch = translation.type(x).dimension(1);
        int all = Sequences.part(translation, flat, 0, steps, batch, outputs);
        return new Results(
                all,
                Sequences.last(translation, all, reverse),
                Sequences.part(translation, flat, steps * batch * outputs, batch, units));
    }
}
