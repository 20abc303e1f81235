package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.FeatureLevel.V1_0;
import static org.torchnnapi.nnapi.model.FeatureLevel.V1_2;
import static org.torchnnapi.nnapi.model.OperandType.BOOL;
import static org.torchnnapi.nnapi.model.OperandType.INT32;
import static org.torchnnapi.nnapi.op.Signatures.join;
import static org.torchnnapi.nnapi.op.Signatures.times;

import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.tensor.WindowAxis;

/**
 * 2-D convolution of each input channel by itself, with {@code multiplier} filters a channel. Filter {@code [1,
 * filterHeight, filterWidth, depthOut]}, {@code depthOut = depthIn * multiplier}; bias {@code [depthOut]}. Padding as a
 * code (from 8 inputs on) or in elements (from 11 on), each with an optional layout and optional dilations.
 */
final class DepthwiseConv2d extends OperationDefinition {

    private static final int FILTER_DEPTH_OUT = 3;

    private static final OperandNames IMPLICIT = names(false);
    private static final OperandNames EXPLICIT = names(true);

    DepthwiseConv2d() {
        super(OperationType.DEPTHWISE_CONV_2D, accepted());
    }

    private static OperandNames names(boolean explicit) {
        return ConvolutionOperands.names(
                explicit, "depthMultiplier", "activation", "layout", "dilationWidth", "dilationHeight");
    }

    private static Signatures accepted() {
        Signatures.Builder implicit = ConvolutionOperands.rows(Signatures.builder(IMPLICIT), V1_0)
                .tail(V1_0, times(5, INT32))
                .tail(V1_2, join(times(5, INT32), BOOL))
                .tail(V1_2, join(times(5, INT32), BOOL, INT32, INT32));
        Signatures.Builder both = ConvolutionOperands.rows(implicit.names(EXPLICIT), V1_0)
                .tail(V1_0, times(8, INT32))
                .tail(V1_2, join(times(8, INT32), BOOL))
                .tail(V1_2, join(times(8, INT32), BOOL, INT32, INT32));
        return ConvolutionOperands.rules(both)
                .range("depthMultiplier", 1, Integer.MAX_VALUE)
                .zeroSizedInputs()
                .build();
    }

    @Override
    protected void check(ValidationContext operation) {
        QuantizedProduct.check(
                operation,
                ConvolutionOperands.INPUT,
                ConvolutionOperands.FILTER,
                ConvolutionOperands.BIAS,
                OUT,
                FILTER_DEPTH_OUT);
    }

    @Override
    protected void inferShapes(OperationContext operation) {
        ImageOrder layout = ConvolutionOperands.layout(operation);
        int[] dims = operation.dims(ConvolutionOperands.INPUT);
        int[] filter = operation.dims(ConvolutionOperands.FILTER);
        int multiplier = operation.intValue(operation.at("depthMultiplier"));
        operation.require(layout.channels(dims) > 0, "input channels", layout.channels(dims), "> 0");
        operation.require(filter[0] == 1, "first filter dimension", filter[0], "1");
        operation.require(
                filter[FILTER_DEPTH_OUT] == (long) layout.channels(dims) * multiplier,
                "filter depth",
                filter[FILTER_DEPTH_OUT],
                "input channels x depth multiplier, " + (long) layout.channels(dims) * multiplier);
        operation.requireDims(ConvolutionOperands.BIAS, filter[FILTER_DEPTH_OUT]);
        Window window = ConvolutionOperands.over(operation, layout);
        operation.setOutput(
                OUT,
                layout.dims(dims[0], window.rows().output(), window.columns().output(), filter[FILTER_DEPTH_OUT]));
    }

    @Override
    public void execute(ExecutionContext operation) {
        ImageOrder layout = ConvolutionOperands.layout(operation);
        Window window = ConvolutionOperands.over(operation, layout);
        WindowAxis rows = window.rows();
        WindowAxis columns = window.columns();
        ProductSum sum = ConvolutionOperands.sum(operation);
        int multiplier = operation.intValue(operation.at("depthMultiplier"));
        int[] dims = operation.dims(ConvolutionOperands.INPUT);
        int[] filter = operation.dims(ConvolutionOperands.FILTER);
        int[] outDims = operation.outDims(OUT);
        int depth = filter[FILTER_DEPTH_OUT];
        for (int b = 0; b < dims[0]; b++) {
            for (int y = 0; y < rows.output(); y++) {
                for (int x = 0; x < columns.output(); x++) {
                    for (int d = 0; d < depth; d++) {
                        sum.start(d);
                        for (int i = 0; i < rows.taps(); i++) {
                            int row = rows.start(y) + i * rows.dilation();
                            for (int j = 0; j < columns.taps(); j++) {
                                int column = columns.start(x) + j * columns.dilation();
                                if (row >= 0 && row < rows.input() && column >= 0 && column < columns.input()) {
                                    sum.add(
                                            layout.index(dims, b, row, column, d / multiplier),
                                            (i * filter[2] + j) * depth + d);
                                }
                            }
                        }
                        sum.finish(layout.index(outDims, b, y, x, d));
                    }
                }
            }
        }
    }
}
