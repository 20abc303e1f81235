package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.FeatureLevel.V1_2;
import static org.torchnnapi.nnapi.model.OperandType.BOOL;
import static org.torchnnapi.nnapi.model.OperandType.INT32;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_INT32;
import static org.torchnnapi.nnapi.op.Signatures.join;
import static org.torchnnapi.nnapi.op.Signatures.times;

import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.tensor.WindowAxis;

/**
 * Transposed 2-D convolution: each input pixel spreads over a window of the output. Filter {@code [depthOut, filterHeight,
 * filterWidth, depthIn]}, bias {@code [depthOut]}. Either an output shape and a padding code (9 inputs), or padding in elements (11).
 */
final class TransposeConv2d extends OperationDefinition {
    private static final int INPUT = 0;
    private static final int FILTER = 1;
    private static final int BIAS = 2;
    private static final int OUTPUT_SHAPE = 3;
    private static final int PADDING_CODE = 4;
    private static final int PADDING = 3;
    private static final int OUT = 0;

    private static final int FILTER_DEPTH_OUT = 0;
    private static final int FILTER_DEPTH_IN = 3;
    private static final int EXPLICIT_INPUTS = 11;

    TransposeConv2d() {
        super(OperationType.TRANSPOSE_CONV_2D, ConvolutionOperands.rows(V1_2)
                .tail(V1_2, TENSOR_INT32, INT32, INT32, INT32, INT32, BOOL)
                .tail(V1_2, join(times(7, INT32), BOOL))
                .zeroSizedInputs()
                .build());
    }

    private static boolean isExplicit(int inputCount) {
        return inputCount == EXPLICIT_INPUTS;
    }

    private static int strideWidth(int inputCount) {
        return isExplicit(inputCount) ? 7 : 5;
    }

    private static int strideHeight(int inputCount) {
        return strideWidth(inputCount) + 1;
    }

    private static int activation(int inputCount) {
        return strideWidth(inputCount) + 2;
    }

    private static ImageLayout layout(OperationContext operation) {
        return ImageLayout.of(operation, strideWidth(operation.inputCount()) + 3);
    }

    @Override
    protected void check(ValidationContext operation) {
        operation.requireRank(INPUT, 4);
        operation.requireRank(FILTER, 4);
        operation.requireRank(BIAS, 1);
        QuantizedProduct.check(operation, INPUT, FILTER, BIAS, OUT, FILTER_DEPTH_OUT);
        int inputs = operation.inputCount();
        if (isExplicit(inputs)) {
            for (int i = PADDING; i < PADDING + 4; i++) {
                operation.requireInt(i, 0, Integer.MAX_VALUE);
            }
        } else {
            operation.requireRank(OUTPUT_SHAPE, 1);
            operation.requireInt(PADDING_CODE, PaddingCode.SAME, PaddingCode.VALID);
        }
        operation.requireInt(strideWidth(inputs), 1, Integer.MAX_VALUE);
        operation.requireInt(strideHeight(inputs), 1, Integer.MAX_VALUE);
        operation.requireInt(activation(inputs), 0, 3);
    }

    /**
     * The forward convolution's window along one axis: its input is our output, its output our input.
     *
     * @param axis of the output's shape
     * @param head operand of the explicit padding before the image
     */
    private static WindowAxis axis(OperationContext operation, int size, int filter, int stride, int axis, int head) {
        int step = operation.intValue(stride);
        if (isExplicit(operation.inputCount())) {
            return Window.checked(operation,
                    () -> WindowAxis.transposed(size, filter, step, 1, operation.intValue(head), operation.intValue(head + 1), 0));
        }
        int output = operation.intArray(OUTPUT_SHAPE)[axis];
        operation.require(output >= 1, "output shape[" + axis + "]", output, ">= 1");
        WindowAxis forward = Window.checked(operation, () -> PaddingCode.window(operation.intValue(PADDING_CODE), output, filter, step, 1));
        return new WindowAxis(output, filter, step, 1, forward.before(), forward.after(), size);
    }

    private static Window window(OperationContext operation, ImageLayout layout) {
        int[] dims = operation.dims(INPUT);
        int inputs = operation.inputCount();
        return new Window(
                axis(operation, layout.height(dims), operation.dim(FILTER, 1), strideHeight(inputs), layout.heightAxis(), PADDING + 2),
                axis(operation, layout.width(dims), operation.dim(FILTER, 2), strideWidth(inputs), layout.widthAxis(), PADDING));
    }

    @Override
    public void prepare(OperationContext operation) {
        operation.requireRank(INPUT, 4);
        operation.requireRank(FILTER, 4);
        ImageLayout layout = layout(operation);
        int[] dims = operation.dims(INPUT);
        int[] filter = operation.dims(FILTER);
        operation.require(layout.channels(dims) == filter[FILTER_DEPTH_IN], "filter depth", filter[FILTER_DEPTH_IN],
                "input channels, " + layout.channels(dims));
        operation.requireDims(BIAS, filter[FILTER_DEPTH_OUT]);
        operation.activation(activation(operation.inputCount()));
        if (!isExplicit(operation.inputCount())) {
            operation.requireDims(OUTPUT_SHAPE, 4);
        }
        Window window = window(operation, layout);
        int[] outDims = layout.dims(dims[0], window.rows().input(), window.columns().input(), filter[FILTER_DEPTH_OUT]);
        if (!isExplicit(operation.inputCount())) {
            int[] shape = operation.intArray(OUTPUT_SHAPE);
            operation.require(shape[0] == outDims[0], "output shape[0]", shape[0], "the input's batches, " + outDims[0]);
            operation.require(layout.channels(shape) == filter[FILTER_DEPTH_OUT], "output channels", layout.channels(shape),
                    "the number of filters, " + filter[FILTER_DEPTH_OUT]);
        }
        operation.setOutput(OUT, outDims);
    }

    @Override
    public void execute(ExecutionContext operation) {
        ImageLayout layout = layout(operation);
        Window window = window(operation, layout);
        ProductSum sum = ProductSum.of(operation, INPUT, FILTER, BIAS, OUT, operation.activation(activation(operation.inputCount())));
        int[] dims = operation.dims(INPUT);
        int[] filter = operation.dims(FILTER);
        int[] outDims = operation.outDims(OUT);
        for (int b = 0; b < dims[0]; b++) {
            for (int y = 0; y < layout.height(outDims); y++) {
                for (int x = 0; x < layout.width(outDims); x++) {
                    for (int d = 0; d < filter[FILTER_DEPTH_OUT]; d++) {
                        sum.start(d);
                        for (int i = 0; i < filter[1]; i++) {
                            int row = window.rows().windowOver(y, i);
                            for (int j = 0; j < filter[2] && row >= 0; j++) {
                                int column = window.columns().windowOver(x, j);
                                int tap = ((d * filter[1] + i) * filter[2] + j) * filter[FILTER_DEPTH_IN];
                                for (int c = 0; c < filter[FILTER_DEPTH_IN] && column >= 0; c++) {
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
