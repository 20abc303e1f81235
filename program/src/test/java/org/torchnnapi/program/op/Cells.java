package org.torchnnapi.program.op;

/** The functions of recurrent cells in double. */
final class Cells {
    private Cells() {}

    static double apply(CellFunction function, double x) {
        return switch (function) {
            case NONE -> x;
            case RELU -> Math.max(0, x);
            case RELU1 -> Math.max(-1, Math.min(1, x));
            case RELU6 -> Math.max(0, Math.min(6, x));
            case TANH -> Math.tanh(x);
            case SIGMOID -> sigmoid(x);
        };
    }

    static double sigmoid(double x) {
        return 1 / (1 + Math.exp(-x));
    }
}
