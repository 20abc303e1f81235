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
 * 2-D convolution. Filter {@code [depthOut, filterHeight, filterWidth, depthIn]}, bias {@code [depthOut]}; padding as a
 * code (from 7 inputs on) or in elements (from 10 on), each with an optional layout and optional dilations.
 */
final class Conv2d extends OperationDefinition {

    private static final int FILTER_DEPTH_OUT = 0;
    private static final int FILTER_DEPTH_IN = 3;

    private static final OperandNames IMPLICIT = names(false);
    private static final OperandNames EXPLICIT = names(true);

    Conv2d() {
        super(OperationType.CONV_2D, accepted());
    }

    private static OperandNames names(boolean explicit) {
        return ConvolutionOperands.names(explicit, "activation", "layout", "dilationWidth", "dilationHeight");
    }

    private static Signatures accepted() {
        Signatures.Builder implicit = ConvolutionOperands.rows(Signatures.builder(IMPLICIT), V1_0)
                .tail(V1_0, times(4, INT32))
                .tail(V1_2, join(times(4, INT32), BOOL))
                .tail(V1_2, join(times(4, INT32), BOOL, INT32, INT32));
        Signatures.Builder both = ConvolutionOperands.rows(implicit.names(EXPLICIT), V1_0)
                .tail(V1_0, times(7, INT32))
                .tail(V1_2, join(times(7, INT32), BOOL))
                .tail(V1_2, join(times(7, INT32), BOOL, INT32, INT32));
        return ConvolutionOperands.rules(both).zeroSizedInputs().build();
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
        operation.require(
                layout.channels(dims) == filter[FILTER_DEPTH_IN],
                "filter depth",
                filter[FILTER_DEPTH_IN],
                "input channels, " + layout.channels(dims));
        operation.require(layout.channels(dims) > 0, "input channels", layout.channels(dims), "> 0");
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
        int[] dims = operation.dims(ConvolutionOperands.INPUT);
        int[] filter = operation.dims(ConvolutionOperands.FILTER);
        int[] outDims = operation.outDims(OUT);
        for (int b = 0; b < dims[0]; b++) {
            for (int y = 0; y < rows.output(); y++) {
                for (int x = 0; x < columns.output(); x++) {
                    for (int d = 0; d < filter[FILTER_DEPTH_OUT]; d++) {
                        sum.start(d);
                        for (int i = 0; i < filter[1]; i++) {
                            int row = rows.start(y) + i * rows.dilation();
                            if (row < 0 || row >= rows.input()) {
                                continue;
                            }
                            for (int j = 0; j < filter[2]; j++) {
                                int column = columns.start(x) + j * columns.dilation();
                                if (column < 0 || column >= columns.input()) {
                                    continue;
                                }
                                int tap = ((d * filter[1] + i) * filter[2] + j) * filter[FILTER_DEPTH_IN];
                                for (int c = 0; c < filter[FILTER_DEPTH_IN]; c++) {
                                    sum.add(layout.index(dims, b, row, column, c), tap + c);
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
