package org.torchnnapi.operators.support;

import org.torchnnapi.tensor.Tensor;

/**
 * One direction of one layer of a recurrent network.
 *
 * @param inputWeight [gates * hidden, input]
 * @param outputWeight [gates * hidden, output]
 * @param inputBias [gates * hidden] or null
 * @param outputBias [gates * hidden] or null
 * @param projection [output, hidden], or null where the output is the hidden state
 */
public record RecurrentLayer(
        RecurrentCell cell,
        Tensor inputWeight,
        Tensor outputWeight,
        Tensor inputBias,
        Tensor outputBias,
        Tensor projection) {

    /** @throws IllegalArgumentException if the weights do not fit each other */
    public RecurrentLayer {
        int rows = inputWeight.rank() == 2 ? inputWeight.size(0) : -1;
        int outputs = outputWeight.rank() == 2 ? outputWeight.size(1) : -1;
        int hidden = rows / cell.gates();
        boolean fits = rows > 0
                && rows % cell.gates() == 0
                && outputWeight.rank() == 2
                && outputWeight.size(0) == rows
                && (inputBias == null || inputBias.numel() == rows)
                && (outputBias == null || outputBias.numel() == rows)
                && (projection == null
                        ? outputs == hidden
                        : projection.rank() == 2 && projection.size(0) == outputs && projection.size(1) == hidden);
        if (!fits) {
            throw new IllegalArgumentException("weights of a recurrent layer: " + inputWeight + ", " + outputWeight
                    + " (expected: " + cell.gates() + " gates each, of equal size)");
        }
    }

    public int inputSize() {
        return inputWeight.size(1);
    }

    public int hiddenSize() {
        return inputWeight.size(0) / cell.gates();
    }

    public int outputSize() {
        return outputWeight.size(1);
    }

    /**
     * Runs over sequences, which may end at different times.
     *
     * @param input [time, batch, input]
     * @param lengths steps of each sequence of the batch
     * @param reverse from the end of each sequence to its start
     * @param output [batch, output], the state before and then after
     * @param cells [batch, hidden] of an LSTM, likewise; unused otherwise
     * @param result [time, batch, stride], written at {@code at} in the last dimension
     */
    public void run(
            double[] input,
            int batch,
            int[] lengths,
            boolean reverse,
            double[] output,
            double[] cells,
            double[] result,
            int at,
            int stride) {
        int hidden = hiddenSize();
        int outputs = outputSize();
        int inputs = inputSize();
        double[] wi = Elements.doubles(inputWeight);
        double[] wo = Elements.doubles(outputWeight);
        double[] bi = inputBias == null ? null : Elements.doubles(inputBias);
        double[] bo = outputBias == null ? null : Elements.doubles(outputBias);
        double[] wp = projection == null ? null : Elements.doubles(projection);
        int rows = cell.gates() * hidden;
        double[] x = new double[rows];
        double[] h = new double[rows];
        double[] state = projection == null ? output : new double[batch * hidden];
        for (int b = 0; b < batch; b++) {
            for (int step = 0; step < lengths[b]; step++) {
                int t = reverse ? lengths[b] - 1 - step : step;
                product(wi, bi, input, (t * batch + b) * inputs, inputs, x);
                product(wo, bo, output, b * outputs, outputs, h);
                cell.step(x, h, state, cells, b * hidden, hidden);
                if (wp != null) {
                    for (int o = 0; o < outputs; o++) {
                        double sum = 0;
                        for (int i = 0; i < hidden; i++) {
                            sum += wp[o * hidden + i] * state[b * hidden + i];
                        }
                        output[b * outputs + o] = sum;
                    }
                }
                System.arraycopy(output, b * outputs, result, (t * batch + b) * stride + at, outputs);
            }
        }
    }

    private static void product(double[] matrix, double[] bias, double[] vector, int from, int length, double[] sums) {
        for (int row = 0; row < sums.length; row++) {
            double sum = bias == null ? 0 : bias[row];
            int base = row * length;
            for (int i = 0; i < length; i++) {
                sum += matrix[base + i] * vector[from + i];
            }
            sums[row] = sum;
        }
    }
}
