package org.torchnnapi.operators.support;

/** The step of a recurrent layer: from the gates' sums of input and of previous output to the new state. */
public enum RecurrentCell {
    RNN_TANH(1) {
        @Override
        void step(double[] x, double[] h, double[] output, double[] cell, int at, int hidden) {
            for (int i = 0; i < hidden; i++) {
                output[at + i] = Math.tanh(x[i] + h[i]);
            }
        }
    },
    RNN_RELU(1) {
        @Override
        void step(double[] x, double[] h, double[] output, double[] cell, int at, int hidden) {
            for (int i = 0; i < hidden; i++) {
                output[at + i] = Math.max(x[i] + h[i], 0);
            }
        }
    },
    /**
     * Gates reset, update, new; the reset gate acts on the summed previous output (Cho et al. 2014, as cuDNN has it).
     */
    GRU(3) {
        @Override
        void step(double[] x, double[] h, double[] output, double[] cell, int at, int hidden) {
            for (int i = 0; i < hidden; i++) {
                double reset = sigmoid(x[i] + h[i]);
                double update = sigmoid(x[hidden + i] + h[hidden + i]);
                double fresh = Math.tanh(x[2 * hidden + i] + reset * h[2 * hidden + i]);
                output[at + i] = fresh + update * (output[at + i] - fresh);
            }
        }
    },
    /** Gates input, forget, cell, output. */
    LSTM(4) {
        @Override
        void step(double[] x, double[] h, double[] output, double[] cell, int at, int hidden) {
            for (int i = 0; i < hidden; i++) {
                double input = sigmoid(x[i] + h[i]);
                double forget = sigmoid(x[hidden + i] + h[hidden + i]);
                double fresh = Math.tanh(x[2 * hidden + i] + h[2 * hidden + i]);
                double open = sigmoid(x[3 * hidden + i] + h[3 * hidden + i]);
                cell[at + i] = forget * cell[at + i] + input * fresh;
                output[at + i] = open * Math.tanh(cell[at + i]);
            }
        }
    };

    private final int gates;

    RecurrentCell(int gates) {
        this.gates = gates;
    }

    public int gates() {
        return gates;
    }

    /**
     * @param x sums of the input, one for each gate and hidden unit
     * @param h sums of the previous output
     * @param output previous output from {@code at} on, replaced by the new one
     * @param cell the LSTM's cell state, likewise
     */
    abstract void step(double[] x, double[] h, double[] output, double[] cell, int at, int hidden);

    private static double sigmoid(double x) {
        return 1 / (1 + Math.exp(-x));
    }
}
