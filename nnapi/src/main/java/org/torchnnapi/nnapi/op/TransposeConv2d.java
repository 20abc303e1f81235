package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.FeatureLevel.V1_2;
import static org.torchnnapi.nnapi.model.OperandType.BOOL;
import static org.torchnnapi.nnapi.model.OperandType.INT32;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_INT32;
import static org.torchnnapi.nnapi.op.Signatures.join;
import static org.torchnnapi.nnapi.op.Signatures.times;

import java.util.List;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.tensor.WindowAxis;

/**
 * Transposed 2-D convolution: each input pixel spreads over a window of the output. Filter {@code [depthOut,
 * filterHeight, filterWidth, depthIn]}, bias {@code [depthOut]}. Either an output shape and a padding code (9 inputs),
 * or padding in elements (11).
 */
final class TransposeConv2d extends OperationDefinition {

    private static final int FILTER_DEPTH_OUT = 0;
    private static final int FILTER_DEPTH_IN = 3;

    private static final OperandNames IMPLICIT =
            Window.names(false, List.of("input", "filter", "bias", "outputShape"), List.of("activation", "layout"));
    private static final OperandNames EXPLICIT = ConvolutionOperands.names(true, "activation", "layout");
    private static final int OUTPUT_SHAPE = IMPLICIT.at("outputShape");

    TransposeConv2d() {
        super(OperationType.TRANSPOSE_CONV_2D, accepted());
    }

    private static Signatures accepted() {
        Signatures.Builder implicit = ConvolutionOperands.rows(Signatures.builder(IMPLICIT), V1_2)
                .tail(V1_2, TENSOR_INT32, INT32, INT32, INT32, INT32, BOOL);
        Signatures.Builder both =
                ConvolutionOperands.rows(implicit.names(EXPLICIT), V1_2).tail(V1_2, join(times(7, INT32), BOOL));
        return ConvolutionOperands.rules(both)
                .rank("outputShape", 1)
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

    /**
     * The forward convolution's window along one axis: its input is our output, its output our input.
     *
     * @param axis of the output's shape
     * @param head the explicit padding before the image, which the one behind it follows
     */
    private static WindowAxis axis(
            OperationContext operation, int size, int filter, String stride, int axis, String head) {
        int step = operation.intValue(operation.at(stride));
        if (Window.isExplicit(operation)) {
            int before = operation.at(head);
            return Window.checked(
                    operation,
                    () -> WindowAxis.transposed(
                            size, filter, step, 1, operation.intValue(before), operation.intValue(before + 1), 0));
        }
        int output = operation.intArray(OUTPUT_SHAPE)[axis];
        operation.require(output >= 1, "output shape[" + axis + "]", output, ">= 1");
        WindowAxis forward = Window.checked(
                operation,
                () -> PaddingCode.window(operation.intValue(operation.at("paddingCode")), output, filter, step, 1));
        return new WindowAxis(output, filter, step, 1, forward.before(), forward.after(), size);
    }

    private static Window window(OperationContext operation, ImageOrder layout) {
        int[] dims = operation.dims(ConvolutionOperands.INPUT);
        return new Window(
                axis(
                        operation,
                        layout.height(dims),
                        operation.dim(ConvolutionOperands.FILTER, 1),
                        "strideHeight",
                        layout.heightAxis(),
                        "paddingTop"),
                axis(
                        operation,
                        layout.width(dims),
                        operation.dim(ConvolutionOperands.FILTER, 2),
                        "strideWidth",
                        layout.widthAxis(),
                        "paddingLeft"));
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
        operation.requireDims(ConvolutionOperands.BIAS, filter[FILTER_DEPTH_OUT]);
        if (!Window.isExplicit(operation)) {
            operation.requireDims(OUTPUT_SHAPE, 4);
        }
        Window window = window(operation, layout);
        int[] outDims =
                layout.dims(dims[0], window.rows().input(), window.columns().input(), filter[FILTER_DEPTH_OUT]);
        if (!Window.isExplicit(operation)) {
            int[] shape = operation.intArray(OUTPUT_SHAPE);
            operation.require(
                    shape[0] == outDims[0], "output shape[0]", shape[0], "the input's batches, " + outDims[0]);
            operation.require(
                    layout.channels(shape) == filter[FILTER_DEPTH_OUT],
                    "output channels",
                    layout.channels(shape),
                    "the number of filters, " + filter[FILTER_DEPTH_OUT]);
        }
        operation.setOutput(OUT, outDims);
    }

    @Override
    public void execute(ExecutionContext operation) {
        ImageOrder layout = ConvolutionOperands.layout(operation);
        Window window = window(operation, layout);
        ProductSum sum = ConvolutionOperands.sum(operation);
        int[] dims = operation.dims(ConvolutionOperands.INPUT);
        int[] filter = operation.dims(ConvolutionOperands.FILTER);
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
