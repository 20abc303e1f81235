package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.FeatureLevel.V1_2;
import static org.torchnnapi.nnapi.model.FeatureLevel.V1_3;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_FLOAT16;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_FLOAT32;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_INT32;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_QUANT8_ASYMM;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_QUANT8_ASYMM_SIGNED;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_QUANT8_SYMM_PER_CHANNEL;
import static org.torchnnapi.nnapi.op.Signatures.in;
import static org.torchnnapi.nnapi.op.Signatures.out;

import java.util.Arrays;
import java.util.List;
import org.torchnnapi.nnapi.model.FeatureLevel;

/**
 * The operands of a convolution: input, filter and bias, the padding as a code or in elements, strides, and what an
 * operation has behind them: the activation, and what may be left out, the layout and two dilations.
 */
final class ConvolutionOperands {
    private static final List<String> FIRST = List.of("input", "filter", "bias");
    static final int INPUT = FIRST.indexOf("input");
    static final int FILTER = FIRST.indexOf("filter");
    static final int BIAS = FIRST.indexOf("bias");

    private ConvolutionOperands() {}

    /** @param behind what is behind the strides */
    static OperandNames names(boolean explicit, String... behind) {
        return Window.names(explicit, FIRST, Arrays.asList(behind));
    }

    /** Adds the types of input, filter and bias, and of the output. */
    static Signatures.Builder rows(Signatures.Builder builder, FeatureLevel first) {
        return builder.row(first, in(TENSOR_FLOAT32, TENSOR_FLOAT32, TENSOR_FLOAT32), out(TENSOR_FLOAT32))
                .row(first, in(TENSOR_QUANT8_ASYMM, TENSOR_QUANT8_ASYMM, TENSOR_INT32), out(TENSOR_QUANT8_ASYMM))
                .row(V1_2, in(TENSOR_FLOAT16, TENSOR_FLOAT16, TENSOR_FLOAT16), out(TENSOR_FLOAT16))
                .row(
                        V1_2,
                        in(TENSOR_QUANT8_ASYMM, TENSOR_QUANT8_SYMM_PER_CHANNEL, TENSOR_INT32),
                        out(TENSOR_QUANT8_ASYMM))
                .row(
                        V1_3,
                        in(TENSOR_QUANT8_ASYMM_SIGNED, TENSOR_QUANT8_ASYMM_SIGNED, TENSOR_INT32),
                        out(TENSOR_QUANT8_ASYMM_SIGNED))
                .row(
                        V1_3,
                        in(TENSOR_QUANT8_ASYMM_SIGNED, TENSOR_QUANT8_SYMM_PER_CHANNEL, TENSOR_INT32),
                        out(TENSOR_QUANT8_ASYMM_SIGNED));
    }

    /** Adds what is demanded of every convolution. */
    static Signatures.Builder rules(Signatures.Builder builder) {
        return Window.rules(builder)
                .rank("input", 4)
                .rank("filter", 4)
                .rank("bias", 1)
                .range("dilationWidth", 1, Integer.MAX_VALUE)
                .range("dilationHeight", 1, Integer.MAX_VALUE);
    }

    /** The layout of the images. */
    static ImageOrder layout(OperationContext operation) {
        return ImageOrder.of(operation, operation.at("layout"));
    }

    /** What sums products of the input and the filter to elements of the output. */
    static ProductSum sum(ExecutionContext operation) {
        return ProductSum.of(
                operation,
                INPUT,
                FILTER,
                BIAS,
                OperationDefinition.OUT,
                operation.activation(operation.at("activation")));
    }

    /** The windows over the input. */
    static Window over(OperationContext operation, ImageOrder layout) {
        int[] dims = operation.dims(INPUT);
        return Window.over(
                operation,
                layout.height(dims),
                layout.width(dims),
                operation.dim(FILTER, 1),
                operation.dim(FILTER, 2),
                operation.intValue(operation.at("dilationHeight"), 1),
                operation.intValue(operation.at("dilationWidth"), 1));
    }
}
