package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.FeatureLevel.V1_2;
import static org.torchnnapi.nnapi.model.OperandType.BOOL;
import static org.torchnnapi.nnapi.model.OperandType.INT32;
import static org.torchnnapi.nnapi.op.Signatures.join;
import static org.torchnnapi.nnapi.op.Signatures.times;

import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.tensor.WindowAxis;

/**
 * 2-D convolution in groups: each group of input channels makes its own group of output channels. Filter {@code [depthOut, filterHeight,
 * filterWidth, depthIn / groups]}, bias {@code [depthOut]}; padding as a code (9 inputs) or in elements (12).
 */
final class GroupedConv2d extends OperationDefinition {
    private static final int INPUT = 0;
    private static final int FILTER = 1;
    private static final int BIAS = 2;
    private static final int PADDING = 3;
    private static final int OUT = 0;

    private static final int FILTER_DEPTH_OUT = 0;
    private static final int FILTER_DEPTH_GROUP = 3;
    private static final int EXPLICIT_INPUTS = 12;

    GroupedConv2d() {
        super(OperationType.GROUPED_CONV_2D, ConvolutionOperands.rows(V1_2)
                .tail(V1_2, join(times(5, INT32), BOOL))
                .tail(V1_2, join(times(8, INT32), BOOL))
                .build());
    }

    private static Window.Operands window(int inputCount) {
        return new Window.Operands(PADDING, inputCount == EXPLICIT_INPUTS);
    }

    private static int groups(OperationContext operation) {
        return operation.intValue(window(operation.inputCount()).next());
    }

    private static int activation(int inputCount) {
        return window(inputCount).next() + 1;
    }

    private static ImageLayout layout(OperationContext operation) {
        return ImageLayout.of(operation, window(operation.inputCount()).next() + 2);
    }

    @Override
    protected void check(ValidationContext operation) {
        operation.requireRank(INPUT, 4);
        operation.requireRank(FILTER, 4);
        operation.requireRank(BIAS, 1);
        QuantizedProduct.check(operation, INPUT, FILTER, BIAS, OUT, FILTER_DEPTH_OUT);
        Window.Operands window = window(operation.inputCount());
        window.check(operation);
        operation.requireInt(window.next(), 1, Integer.MAX_VALUE);
        operation.requireInt(activation(operation.inputCount()), 0, 3);
    }

    private static Window window(OperationContext operation, ImageLayout layout) {
        int[] dims = operation.dims(INPUT);
        return window(operation.inputCount()).over(operation, layout.height(dims), layout.width(dims),
                operation.dim(FILTER, 1), operation.dim(FILTER, 2), 1, 1);
    }

    @Override
    public void prepare(OperationContext operation) {
        operation.requireRank(INPUT, 4);
        operation.requireRank(FILTER, 4);
        ImageLayout layout = layout(operation);
        int[] dims = operation.dims(INPUT);
        int[] filter = operation.dims(FILTER);
        int groups = groups(operation);
        operation.require(groups >= 1, "groups", groups, ">= 1");
        operation.require(filter[FILTER_DEPTH_OUT] % groups == 0, "filters", filter[FILTER_DEPTH_OUT], "a multiple of the groups, " + groups);
        operation.require((long) filter[FILTER_DEPTH_GROUP] * groups == layout.channels(dims), "filter depth x groups",
                (long) filter[FILTER_DEPTH_GROUP] * groups, "input channels, " + layout.channels(dims));
        operation.requireDims(BIAS, filter[FILTER_DEPTH_OUT]);
        operation.activation(activation(operation.inputCount()));
        Window window = window(operation, layout);
        operation.setOutput(OUT, layout.dims(dims[0], window.rows().output(), window.columns().output(), filter[FILTER_DEPTH_OUT]));
    }

    @Override
    public void execute(ExecutionContext operation) {
        ImageLayout layout = layout(operation);
        Window window = window(operation, layout);
        WindowAxis rows = window.rows();
        WindowAxis columns = window.columns();
        ProductSum sum = ProductSum.of(operation, INPUT, FILTER, BIAS, OUT, operation.activation(activation(operation.inputCount())));
        int[] dims = operation.dims(INPUT);
        int[] filter = operation.dims(FILTER);
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
