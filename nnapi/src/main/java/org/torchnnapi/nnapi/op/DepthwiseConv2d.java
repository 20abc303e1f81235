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
 * 2-D convolution of each input channel by itself, with {@code multiplier} filters a channel. Filter {@code [1, filterHeight,
 * filterWidth, depthOut]}, {@code depthOut = depthIn * multiplier}; bias {@code [depthOut]}. Padding as a code (from 8 inputs on) or in
 * elements (from 11 on), each with an optional layout and optional dilations.
 */
final class DepthwiseConv2d extends OperationDefinition {
    private static final int INPUT = 0;
    private static final int FILTER = 1;
    private static final int BIAS = 2;
    private static final int OUT = 0;

    private static final int FILTER_DEPTH_OUT = 3;

    DepthwiseConv2d() {
        super(OperationType.DEPTHWISE_CONV_2D, ConvolutionOperands.rows(V1_0)
                .tail(V1_0, times(5, INT32))
                .tail(V1_2, join(times(5, INT32), BOOL))
                .tail(V1_2, join(times(5, INT32), BOOL, INT32, INT32))
                .tail(V1_0, times(8, INT32))
                .tail(V1_2, join(times(8, INT32), BOOL))
                .tail(V1_2, join(times(8, INT32), BOOL, INT32, INT32))
                .zeroSizedInputs()
                .build());
    }

    @Override
    protected void check(ValidationContext operation) {
        operation.requireRank(INPUT, 4);
        operation.requireRank(FILTER, 4);
        operation.requireRank(BIAS, 1);
        QuantizedProduct.check(operation, INPUT, FILTER, BIAS, OUT, FILTER_DEPTH_OUT);
        ConvolutionOperands at = ConvolutionOperands.of(1, operation.inputCount(), operation::type);
        at.check(operation);
        operation.requireInt(multiplier(at), 1, Integer.MAX_VALUE);
    }

    private static ConvolutionOperands operands(OperationContext operation) {
        return ConvolutionOperands.of(1, operation.inputCount(), operation::type);
    }

    private static int multiplier(ConvolutionOperands at) {
        return at.window().next();
    }

    @Override
    public void prepare(OperationContext operation) {
        operation.requireRank(INPUT, 4);
        operation.requireRank(FILTER, 4);
        ConvolutionOperands at = operands(operation);
        ImageLayout layout = ImageLayout.of(operation, at.layout());
        int[] dims = operation.dims(INPUT);
        int[] filter = operation.dims(FILTER);
        int multiplier = operation.intValue(multiplier(at));
        operation.require(multiplier >= 1, "depth multiplier", multiplier, ">= 1");
        operation.require(layout.channels(dims) > 0, "input channels", layout.channels(dims), "> 0");
        operation.require(filter[0] == 1, "first filter dimension", filter[0], "1");
        operation.require(filter[FILTER_DEPTH_OUT] == (long) layout.channels(dims) * multiplier, "filter depth", filter[FILTER_DEPTH_OUT],
                "input channels x depth multiplier, " + (long) layout.channels(dims) * multiplier);
        operation.requireDims(BIAS, filter[FILTER_DEPTH_OUT]);
        operation.activation(at.activation());
        Window window = at.over(operation, layout);
        operation.setOutput(OUT, layout.dims(dims[0], window.rows().output(), window.columns().output(), filter[FILTER_DEPTH_OUT]));
    }

    @Override
    public void execute(ExecutionContext operation) {
        ConvolutionOperands at = operands(operation);
        ImageLayout layout = ImageLayout.of(operation, at.layout());
        Window window = at.over(operation, layout);
        WindowAxis rows = window.rows();
        WindowAxis columns = window.columns();
        ProductSum sum = ProductSum.of(operation, INPUT, FILTER, BIAS, OUT, operation.activation(at.activation()));
        int multiplier = operation.intValue(multiplier(at));
        int[] dims = operation.dims(INPUT);
        int[] filter = operation.dims(FILTER);
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
                                    sum.add(layout.index(dims, b, row, column, d / multiplier), (i * filter[2] + j) * depth + d);
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
