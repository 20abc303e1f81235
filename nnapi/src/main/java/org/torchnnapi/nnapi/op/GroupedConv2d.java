package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.FeatureLevel.V1_2;
import static org.torchnnapi.nnapi.model.OperandType.BOOL;
import static org.torchnnapi.nnapi.model.OperandType.INT32;
import static org.torchnnapi.nnapi.op.Signatures.join;
import static org.torchnnapi.nnapi.op.Signatures.times;

import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.tensor.WindowAxis;

/**
 * 2-D convolution in groups: each group of input channels makes its own group of output channels. Filter
 * {@code [depthOut, filterHeight, filterWidth, depthIn / groups]}, bias {@code [depthOut]}; padding as a code (9
 * inputs) or in elements (12).
 */
final class GroupedConv2d extends OperationDefinition {

    private static final int FILTER_DEPTH_OUT = 0;
    private static final int FILTER_DEPTH_GROUP = 3;

    private static final OperandNames IMPLICIT = ConvolutionOperands.names(false, "groups", "activation", "layout");
    private static final OperandNames EXPLICIT = ConvolutionOperands.names(true, "groups", "activation", "layout");

    GroupedConv2d() {
        super(OperationType.GROUPED_CONV_2D, accepted());
    }

    private static Signatures accepted() {
        Signatures.Builder implicit =
                ConvolutionOperands.rows(Signatures.builder(IMPLICIT), V1_2).tail(V1_2, join(times(5, INT32), BOOL));
        Signatures.Builder both =
                ConvolutionOperands.rows(implicit.names(EXPLICIT), V1_2).tail(V1_2, join(times(8, INT32), BOOL));
        return ConvolutionOperands.rules(both)
                .range("groups", 1, Integer.MAX_VALUE)
                .build();
    }

    private static int groups(OperationContext operation) {
        return operation.intValue(operation.at("groups"));
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
        int groups = groups(operation);
        operation.require(
                filter[FILTER_DEPTH_OUT] % groups == 0,
                "filters",
                filter[FILTER_DEPTH_OUT],
                "a multiple of the groups, " + groups);
        operation.require(
                (long) filter[FILTER_DEPTH_GROUP] * groups == layout.channels(dims),
                "filter depth x groups",
                (long) filter[FILTER_DEPTH_GROUP] * groups,
                "input channels, " + layout.channels(dims));
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
        int depth = filter[FILTER_DEPTH_GROUP];
        int filtersPerGroup = filter[FILTER_DEPTH_OUT] / groups(operation);
        for (int b = 0; b < dims[0]; b++) {
            for (int y = 0; y < rows.output(); y++) {
                for (int x = 0; x < columns.output(); x++) {
                    for (int d = 0; d < filter[FILTER_DEPTH_OUT]; d++) {
                        int firstChannel = d / filtersPerGroup * depth;
                        sum.start(d);
                        for (int i = 0; i < rows.taps(); i++) {
                            int row = rows.start(y) + i;
                            for (int j = 0; j < columns.taps(); j++) {
                                int column = columns.start(x) + j;
                                if (row < 0 || row >= rows.input() || column < 0 || column >= columns.input()) {
                                    continue;
                                }
                                int tap = ((d * filter[1] + i) * filter[2] + j) * depth;
                                for (int c = 0; c < depth; c++) {
                                    sum.add(layout.index(dims, b, row, column, firstChannel + c), tap + c);
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
