package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.FeatureLevel.V1_2;
import static org.torchnnapi.nnapi.model.FeatureLevel.V1_3;
import static org.torchnnapi.nnapi.model.OperandType.INT32;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_FLOAT16;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_FLOAT32;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_INT32;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_QUANT8_ASYMM;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_QUANT8_ASYMM_SIGNED;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_QUANT8_SYMM_PER_CHANNEL;
import static org.torchnnapi.nnapi.op.Signatures.in;
import static org.torchnnapi.nnapi.op.Signatures.out;

import java.util.function.IntFunction;
import org.torchnnapi.nnapi.model.FeatureLevel;
import org.torchnnapi.nnapi.model.OperandType;

/**
 * Where the operands of a convolution behind its bias are, which depends on how the padding is given: as a code or in elements. After the strides
 * come {@code between} others, the activation, and what may be left out: the layout and two dilations.
 */
record ConvolutionOperands(Window.Operands window, int activation) {
    private static final int INPUT = 0;
    private static final int FILTER = 1;
    private static final int PADDING = 3;

    /** The types of input, filter and bias, and of the output. */
    static Signatures.Builder rows(FeatureLevel first) {
        return Signatures.builder()
                .row(first, in(TENSOR_FLOAT32, TENSOR_FLOAT32, TENSOR_FLOAT32), out(TENSOR_FLOAT32))
                .row(first, in(TENSOR_QUANT8_ASYMM, TENSOR_QUANT8_ASYMM, TENSOR_INT32), out(TENSOR_QUANT8_ASYMM))
                .row(V1_2, in(TENSOR_FLOAT16, TENSOR_FLOAT16, TENSOR_FLOAT16), out(TENSOR_FLOAT16))
                .row(V1_2, in(TENSOR_QUANT8_ASYMM, TENSOR_QUANT8_SYMM_PER_CHANNEL, TENSOR_INT32), out(TENSOR_QUANT8_ASYMM))
                .row(V1_3, in(TENSOR_QUANT8_ASYMM_SIGNED, TENSOR_QUANT8_ASYMM_SIGNED, TENSOR_INT32), out(TENSOR_QUANT8_ASYMM_SIGNED))
                .row(V1_3, in(TENSOR_QUANT8_ASYMM_SIGNED, TENSOR_QUANT8_SYMM_PER_CHANNEL, TENSOR_INT32), out(TENSOR_QUANT8_ASYMM_SIGNED));
    }

    /** @param between operands between the strides and the activation */
    static ConvolutionOperands of(int between, int inputCount, IntFunction<OperandType> types) {
        // Behind a padding code this one is the layout, if anything, a BOOL; with explicit padding it is one of the numbers.
        int telling = PADDING + 4 + between;
        Window.Operands window = new Window.Operands(PADDING, inputCount > telling && types.apply(telling) == INT32);
        return new ConvolutionOperands(window, window.next() + between);
    }

    int layout() {
        return activation + 1;
    }

    private int dilationWidth() {
        return activation + 2;
    }

    private int dilationHeight() {
        return activation + 3;
    }

    /** Checks the constants that no image size is needed for. */
    void check(ValidationContext operation) {
        window.check(operation);
        operation.requireInt(activation, 0, 3);
        operation.requireInt(dilationWidth(), 1, Integer.MAX_VALUE);
        operation.requireInt(dilationHeight(), 1, Integer.MAX_VALUE);
    }

    /** The windows over the input. */
    Window over(OperationContext operation, ImageLayout layout) {
        int[] dims = operation.dims(INPUT);
        return window.over(operation, layout.height(dims), layout.width(dims), operation.dim(FILTER, 1), operation.dim(FILTER, 2),
                operation.intValue(dilationHeight(), 1), operation.intValue(dilationWidth(), 1));
    }
}
