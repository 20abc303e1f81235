package org.torchnnapi.kernels.internal;

import org.torchnnapi.kernels.FloatRecurrent.Cell;
import org.torchnnapi.kernels.Weights;

/**
 * A recurrent layer in one direction.
 *
 * @param inputWeights [gates * hidden][inputs]
 * @param hiddenWeights [gates * hidden][hidden]
 * @param inputBias [gates * hidden]
 * @param hiddenBias [gates * hidden]
 */
public record RecurrentSpec(
        Cell cell,
        int inputs,
        int hidden,
        Weights inputWeights,
        Weights hiddenWeights,
        float[] inputBias,
        float[] hiddenBias) {
    /** Whether a gate's two biases can be added up beforehand: not where the reset gate acts on the hidden one. */
    public boolean sharesBias(int gate) {
        return cell == Cell.LSTM || gate < 2;
    }
}
