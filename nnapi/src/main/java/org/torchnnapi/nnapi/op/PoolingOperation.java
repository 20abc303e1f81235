package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.FeatureLevel.V1_0;
import static org.torchnnapi.nnapi.model.FeatureLevel.V1_2;
import static org.torchnnapi.nnapi.model.OperandType.BOOL;
import static org.torchnnapi.nnapi.model.OperandType.INT32;
import static org.torchnnapi.nnapi.op.Signatures.join;
import static org.torchnnapi.nnapi.op.Signatures.times;

import org.torchnnapi.nnapi.model.OperationType;

/**
 * One value for each window of an image, channel by channel. Padding as a code (7 inputs) or in elements (10), each with an optional
 * layout; padding takes no part in the value.
 */
abstract class PoolingOperation extends OperationDefinition {
    private static final int INPUT = 0;
    private static final int PADDING = 1;
    private static final int OUT = 0;

    PoolingOperation(OperationType type, Signatures.Builder rows) {
        super(type, rows
                .tail(V1_0, times(6, INT32))
                .tail(V1_2, join(times(6, INT32), BOOL))
                .tail(V1_0, times(9, INT32))
                .tail(V1_2, join(times(9, INT32), BOOL))
                .zeroSizedInputs()
                .build());
    }

    /** Collects the elements of one window. */
    interface Pool {
        void add(float element);

        /** The window's value; of a window that saw nothing but padding, 0. */
        float value();
    }

    /** An empty pool, one for each window. */
    abstract Pool pool();

    private static Window.Operands operands(int inputCount) {
        return new Window.Operands(PADDING, inputCount >= 10);
    }

    private static int filterWidth(int inputCount) {
        return operands(inputCount).next();
    }

    private static int filterHeight(int inputCount) {
        return operands(inputCount).next() + 1;
    }

    private static int activation(int inputCount) {
        return operands(inputCount).next() + 2;
    }

    private static ImageLayout layout(OperationContext operation) {
        return ImageLayout.of(operation, operands(operation.inputCount()).next() + 3);
    }

    @Override
    protected void check(ValidationContext operation) {
        int inputs = operation.inputCount();
        operation.requireRank(INPUT, 4);
        operation.requireSameQuantization(INPUT, OUT);
        operands(inputs).check(operation);
        operation.requireInt(filterWidth(inputs), 1, Integer.MAX_VALUE);
        operation.requireInt(filterHeight(inputs), 1, Integer.MAX_VALUE);
        operation.requireInt(activation(inputs), 0, 3);
    }

    private static Window window(OperationContext operation, ImageLayout layout) {
        int[] dims = operation.dims(INPUT);
        int inputs = operation.inputCount();
        return operands(inputs).over(operation, layout.height(dims), layout.width(dims),
                operation.intValue(filterHeight(inputs)), operation.intValue(filterWidth(inputs)), 1, 1);
    }

    @Override
    public void prepare(OperationContext operation) {
        operation.requireRank(INPUT, 4);
        ImageLayout layout = layout(operation);
        int[] dims = operation.dims(INPUT);
        operation.activation(activation(operation.inputCount()));
        Window window = window(operation, layout);
        operation.setOutput(OUT, layout.dims(dims[0], window.rows().output(), window.columns().output(), layout.channels(dims)));
    }

    @Override
    public void execute(ExecutionContext operation) {
        ImageLayout layout = layout(operation);
        Window window = window(operation, layout);
        FusedActivation activation = operation.activation(activation(operation.inputCount()));
        int[] dims = operation.dims(INPUT);
        int[] outDims = operation.outDims(OUT);
        boolean quantized = operation.type(INPUT).isQuantized();
        int zeroPoint = quantized ? operation.outZeroPoint(OUT) : 0;
        long low = quantized ? activation.quantizedLow(operation.outScale(OUT), zeroPoint) : 0;
        long high = quantized ? activation.quantizedHigh(operation.outScale(OUT), zeroPoint) : 0;
        for (int b = 0; b < dims[0]; b++) {
            for (int y = 0; y < window.rows().output(); y++) {
                for (int x = 0; x < window.columns().output(); x++) {
                    for (int c = 0; c < layout.channels(dims); c++) {
                        float value = value(operation, layout, window, b, y, x, c);
                        int index = layout.index(outDims, b, y, x, c);
                        if (quantized) {
                            operation.outInts(OUT).setSaturated(index, Math.max(low, Math.min(high, RoundingArithmetic.halfEven(value) + zeroPoint)));
                        } else {
                            operation.outFloats(OUT).set(index, activation.apply(value));
                        }
                    }
                }
            }
        }
    }

    /** In real numbers, or in steps above the zero point: input and output of a quantized pool have one scale. */
    private float value(ExecutionContext operation, ImageLayout layout, Window window, int batch, int y, int x, int channel) {
        boolean quantized = operation.type(INPUT).isQuantized();
        FloatView reals = quantized ? null : operation.floats(INPUT);
        IntView steps = quantized ? operation.ints(INPUT) : null;
        int zeroPoint = quantized ? operation.zeroPoint(INPUT) : 0;
        int[] dims = operation.dims(INPUT);
        int top = window.rows().start(y);
        int left = window.columns().start(x);
        int bottom = (int) Math.min((long) top + window.rows().taps(), window.rows().input());
        int right = (int) Math.min((long) left + window.columns().taps(), window.columns().input());
        Pool pool = pool();
        for (int row = Math.max(0, top); row < bottom; row++) {
            for (int column = Math.max(0, left); column < right; column++) {
                int index = layout.index(dims, batch, row, column, channel);
                pool.add(quantized ? steps.get(index) - zeroPoint : reals.get(index));
            }
        }
        return pool.value();
    }
}
