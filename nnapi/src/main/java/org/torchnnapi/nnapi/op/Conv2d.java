package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.FeatureLevel.V1_0;
import static org.torchnnapi.nnapi.model.FeatureLevel.V1_2;
import static org.torchnnapi.nnapi.model.FeatureLevel.V1_3;
import static org.torchnnapi.nnapi.model.OperandType.BOOL;
import static org.torchnnapi.nnapi.model.OperandType.INT32;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_FLOAT16;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_FLOAT32;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_INT32;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_QUANT8_ASYMM;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_QUANT8_ASYMM_SIGNED;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_QUANT8_SYMM_PER_CHANNEL;
import static org.torchnnapi.nnapi.op.Signatures.in;
import static org.torchnnapi.nnapi.op.Signatures.join;
import static org.torchnnapi.nnapi.op.Signatures.out;
import static org.torchnnapi.nnapi.op.Signatures.times;

import org.torchnnapi.nnapi.model.OperationType;

/**
 * 2-D convolution. Filter {@code [depthOut, filterHeight, filterWidth, depthIn]}, bias {@code [depthOut]}; padding as a code (from 7
 * inputs on) or in elements (from 10 on), each with an optional layout and optional dilations.
 */
final class Conv2d extends OperationDefinition {
    private static final int INPUT = 0;
    private static final int FILTER = 1;
    private static final int BIAS = 2;
    private static final int PADDING = 3;
    private static final int OUT = 0;

    private static final int FILTER_DEPTH_OUT = 0;
    private static final int FILTER_DEPTH_IN = 3;

    /** Where the operands behind the strides are. */
    private record Positions(Window.Operands window) {
        /** With explicit padding, input 7 is an INT32; with a code it is the layout, if anything. */
        static Positions of(boolean explicit) {
            return new Positions(new Window.Operands(PADDING, explicit));
        }

        static Positions of(OperationContext operation) {
            return of(operation.inputCount() > 7 && operation.type(7) == INT32);
        }

        int activation() {
            return window.next();
        }

        int layout() {
            return window.next() + 1;
        }

        int dilationWidth() {
            return window.next() + 2;
        }

        int dilationHeight() {
            return window.next() + 3;
        }
    }

    Conv2d() {
        super(OperationType.CONV_2D, Signatures.builder()
                .row(V1_0, in(TENSOR_FLOAT32, TENSOR_FLOAT32, TENSOR_FLOAT32), out(TENSOR_FLOAT32))
                .row(V1_0, in(TENSOR_QUANT8_ASYMM, TENSOR_QUANT8_ASYMM, TENSOR_INT32), out(TENSOR_QUANT8_ASYMM))
                .row(V1_2, in(TENSOR_FLOAT16, TENSOR_FLOAT16, TENSOR_FLOAT16), out(TENSOR_FLOAT16))
                .row(V1_2, in(TENSOR_QUANT8_ASYMM, TENSOR_QUANT8_SYMM_PER_CHANNEL, TENSOR_INT32), out(TENSOR_QUANT8_ASYMM))
                .row(V1_3, in(TENSOR_QUANT8_ASYMM_SIGNED, TENSOR_QUANT8_ASYMM_SIGNED, TENSOR_INT32), out(TENSOR_QUANT8_ASYMM_SIGNED))
                .row(V1_3, in(TENSOR_QUANT8_ASYMM_SIGNED, TENSOR_QUANT8_SYMM_PER_CHANNEL, TENSOR_INT32), out(TENSOR_QUANT8_ASYMM_SIGNED))
                .tail(V1_0, times(4, INT32))
                .tail(V1_2, join(times(4, INT32), BOOL))
                .tail(V1_2, join(times(4, INT32), BOOL, INT32, INT32))
                .tail(V1_0, times(7, INT32))
                .tail(V1_2, join(times(7, INT32), BOOL))
                .tail(V1_2, join(times(7, INT32), BOOL, INT32, INT32))
                .zeroSizedInputs()
                .build());
    }

    @Override
    protected void check(ValidationContext operation) {
        operation.requireRank(INPUT, 4);
        operation.requireRank(FILTER, 4);
        operation.requireRank(BIAS, 1);
        QuantizedProduct.check(operation, INPUT, FILTER, BIAS, OUT, FILTER_DEPTH_OUT);
        Positions at = Positions.of(operation.inputCount() > 7 && operation.type(7) == INT32);
        at.window.check(operation);
        operation.requireInt(at.activation(), 0, 3);
        operation.requireInt(at.dilationWidth(), 1, Integer.MAX_VALUE);
        operation.requireInt(at.dilationHeight(), 1, Integer.MAX_VALUE);
    }

    private static Window window(OperationContext operation, Positions at, ImageLayout layout) {
        int[] dims = operation.dims(INPUT);
        return at.window.over(operation, layout.height(dims), layout.width(dims), operation.dim(FILTER, 1), operation.dim(FILTER, 2),
                operation.intValue(at.dilationHeight(), 1), operation.intValue(at.dilationWidth(), 1));
    }

    @Override
    public void prepare(OperationContext operation) {
        operation.requireRank(INPUT, 4);
        operation.requireRank(FILTER, 4);
        Positions at = Positions.of(operation);
        ImageLayout layout = ImageLayout.of(operation, at.layout());
        int[] dims = operation.dims(INPUT);
        int[] filter = operation.dims(FILTER);
        operation.require(layout.channels(dims) == filter[FILTER_DEPTH_IN], "filter depth", filter[FILTER_DEPTH_IN],
                "input channels, " + layout.channels(dims));
        operation.require(layout.channels(dims) > 0, "input channels", layout.channels(dims), "> 0");
        operation.requireDims(BIAS, filter[FILTER_DEPTH_OUT]);
        operation.activation(at.activation());
        Window window = window(operation, at, layout);
        operation.setOutput(OUT, layout.dims(dims[0], window.rows().output(), window.columns().output(), filter[FILTER_DEPTH_OUT]));
    }

    @Override
    public void execute(ExecutionContext operation) {
        Positions at = Positions.of(operation);
        ImageLayout layout = ImageLayout.of(operation, at.layout());
        Window window = window(operation, at, layout);
        WindowAxis rows = window.rows();
        WindowAxis columns = window.columns();
        ProductSum sum = ProductSum.of(operation, INPUT, FILTER, BIAS, OUT, operation.activation(at.activation()));
        int[] dims = operation.dims(INPUT);
        int[] filter = operation.dims(FILTER);
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
