package org.torchnnapi.driver.cpu;

import org.torchnnapi.kernels.Clamp;
import org.torchnnapi.kernels.FloatRecurrent.Cell;
import org.torchnnapi.program.op.CellFunction;
import org.torchnnapi.program.op.LstmStepsOp;
import org.torchnnapi.program.op.LstmWeights;
import org.torchnnapi.program.op.RecurrentOp;

/**
 * One direction of an LSTM layer: where its parameters are among an operation's inputs, each group in the order input, forget, cell, output
 * gate (peephole: input, forget, output).
 *
 * @param weights of the inputs
 * @param peephole by which the cells act on the gates
 * @param projection its weights, which its bias follows
 * @param state the outputs before the first step, which the cells before it follow
 * @param auxiliary weights of auxiliary inputs; -1 where the operation has none
 * @param normalization weights of layer normalization
 * @param activation the code of the cells' function, which the limits of the cells and of the projection follow
 * @param reverse from the last step to the first
 */
record LstmLayer(int weights, int recurrent, int peephole, int bias, int projection, int state, int auxiliary, int normalization, int activation,
                 boolean reverse) {
    private static final int GATES = 4;
    private static final int LAST_GATE = GATES - 1;

    /** Values of a program: the outputs of all steps {@code [steps, batch, outputs]}, those of the last, and the cells after it. */
    record Results(int all, int outputs, int cells) {
    }

    /** Whether an input is one of its states. */
    boolean isState(int input) {
        return input == state || input == state + 1;
    }

    /** Whether an input may be left out. */
    boolean isOptional(int input) {
        return input == weights || input == recurrent || input == bias || input >= peephole && input < peephole + LAST_GATE
                || input == projection || input == projection + 1 || auxiliary >= 0 && input >= auxiliary && input < auxiliary + GATES
                || input >= normalization && input < normalization + GATES;
    }

    /** Without a coupled input gate, peepholes, projection, normalization, limits and other functions than tanh. */
    private boolean isPlain(Site site, LstmWeights layer, CellFunction function, Clamp clip) {
        return !layer.coupled() && layer.peephole() == null && layer.projection() == null && layer.normalization() == null
                && function == CellFunction.TANH && clip.isNone();
    }

    /**
     * The layer over the features {@code [steps, batch, features]}, the last of which are the auxiliary ones where these have weights.
     *
     * @param weighted whether they have
     */
    Results translate(Site site, Translation translation, int x, boolean weighted) {
        boolean coupled = !site.has(weights);
        int units = site.in(weights + LAST_GATE).dimension(0);
        int outputs = site.in(recurrent + LAST_GATE).dimension(1);
        int gates = coupled ? GATES - 1 : GATES;
        boolean normalized = site.has(normalization + LAST_GATE);
        float[] gateBias = Sequences.joined(site, bias, bias + GATES);
        LstmWeights layer = new LstmWeights(units, outputs, coupled, Sequences.joined(site, recurrent, recurrent + GATES),
                site.has(peephole + LAST_GATE - 1) ? Sequences.joined(site, coupled ? peephole + 1 : peephole, peephole + LAST_GATE) : null,
                normalized ? Sequences.joined(site, coupled ? normalization + 1 : normalization, normalization + GATES) : null,
                normalized ? gateBias : null, site.has(projection) ? site.floats(projection) : null,
                site.has(projection) && site.has(projection + 1) ? site.floats(projection + 1) : null);
        float[] ofInput = Sequences.joined(site, weights, weights + GATES);
        if (weighted) {
            ofInput = Sequences.beside(ofInput, Sequences.joined(site, coupled ? auxiliary + 1 : auxiliary, auxiliary + GATES), gates * units);
        }
        CellFunction function = Sequences.function(site, activation);
        Clamp cellClip = Sequences.clip(site.floatValue(activation + 1));
        int before = translation.in(site, state);
        int cellsBefore = translation.in(site, state + 1);
        int flat = isPlain(site, layer, function, cellClip)
                ? translation.add(new RecurrentOp(Cell.LSTM, translation.type(x).dimension(2), units, ofInput, layer.recurrent(), gateBias, null,
                        reverse), x, before, cellsBefore)
                : translation.add(new LstmStepsOp(layer, function, cellClip, Sequences.clip(site.floatValue(activation + 2)), reverse),
                        Sequences.weighted(translation, x, ofInput, normalized ? null : gateBias), before, cellsBefore);
        int steps = translation.type(x).dimension(0);
        int batch = translation.type(x).dimension(1);
        int all = Sequences.part(translation, flat, 0, steps, batch, outputs);
        return new Results(all, Sequences.last(translation, all, reverse),
                Sequences.part(translation, flat, steps * batch * outputs, batch, units));
    }
}
