package org.torchnnapi.benchmarks.peers;

/**
 * TensorFlow Lite's operators that are written, by their numbers in the schema's enums BuiltinOperator and
 * BuiltinOptions.
 */
enum TfliteOperator {
    ADD(0, 11),
    AVERAGE_POOL_2D(1, 5),
    CONCATENATION(2, 10),
    CONV_2D(3, 1),
    DEPTHWISE_CONV_2D(4, 2),
    DEQUANTIZE(6, 0),
    FULLY_CONNECTED(9, 8),
    LOGISTIC(14, 0),
    MAX_POOL_2D(17, 5),
    MUL(18, 21),
    RELU(19, 0),
    RELU6(21, 0),
    RESHAPE(22, 17),
    RESIZE_BILINEAR(23, 15),
    SOFTMAX(25, 9),
    PAD(34, 22),
    TRANSPOSE(39, 26),
    MEAN(40, 27),
    PADV2(60, 43),
    RESIZE_NEAREST_NEIGHBOR(97, 74),
    QUANTIZE(114, 0),
    HARD_SWISH(117, 0);

    private final int code;
    private final int optionsType;

    TfliteOperator(int code, int optionsType) {
        this.code = code;
        this.optionsType = optionsType;
    }

    int code() {
        return code;
    }

    /** 0 where the operator is written without options. */
    int optionsType() {
        return optionsType;
    }
}
