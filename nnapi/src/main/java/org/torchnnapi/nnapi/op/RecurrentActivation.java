package org.torchnnapi.nnapi.op;

/** The activation an LSTM, RNN or SVDF names by an INT32 scalar. */
enum RecurrentActivation {
    NONE(0),
    RELU(1),
    RELU1(2),
    RELU6(3),
    TANH(4),
    SIGMOID(6);

    private final int code;

    RecurrentActivation(int code) {
        this.code = code;
    }

    /**
     * The activation of scalar {@code input}.
     *
     * @throws org.torchnnapi.nnapi.model.NnapiException BAD_DATA if none has this code
     */
    static RecurrentActivation of(OperationContext operation, int input) {
        int code = operation.intValue(input);
        for (RecurrentActivation activation : values()) {
            if (activation.code == code) {
                return activation;
            }
        }
        throw operation.illegal("activation", code, "0 to 4 or 6");
    }

    double apply(double value) {
        return switch (this) {
            case NONE -> value;
            case RELU -> Math.max(value, 0);
            case RELU1 -> Math.max(-1, Math.min(1, value));
            case RELU6 -> Math.max(0, Math.min(6, value));
            case TANH -> StrictMath.tanh(value);
            case SIGMOID -> sigmoid(value);
        };
    }

    static double sigmoid(double value) {
        return 1 / (1 + StrictMath.exp(-value));
    }
}
