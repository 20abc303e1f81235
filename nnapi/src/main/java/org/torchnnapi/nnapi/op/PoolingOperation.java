package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.FeatureLevel.V1_0;
import static org.torchnnapi.nnapi.model.FeatureLevel.V1_2;
import static org.torchnnapi.nnapi.model.OperandType.BOOL;
import static org.torchnnapi.nnapi.model.OperandType.INT32;
import static org.torchnnapi.nnapi.op.Signatures.join;
import static org.torchnnapi.nnapi.op.Signatures.times;

import java.util.List;
import java.util.function.UnaryOperator;
import org.torchnnapi.nnapi.model.OperationType;

/**
 * One value for each window of an image, channel by channel. Padding as a code (7 inputs) or in elements (10), each
 * with an optional layout; padding takes no part in the value.
 */
abstract class PoolingOperation extends OperationDefinition {
    private static final OperandNames IMPLICIT = names(false);
    private static final OperandNames EXPLICIT = names(true);
    private static final int INPUT = IMPLICIT.at("input");

    /** @param rows adds the types of input and output */
    PoolingOperation(OperationType type, UnaryOperator<Signatures.Builder> rows) {
        super(type, accepted(rows));
    }

    private static OperandNames names(boolean explicit) {
        return Window.names(explicit, List.of("input"), List.of("filterWidth", "filterHeight", "activation", "layout"));
    }

    private static Signatures accepted(UnaryOperator<Signatures.Builder> rows) {
        Signatures.Builder implicit = rows.apply(Signatures.builder(IMPLICIT))
                .tail(V1_0, times(6, INT32))
                .tail(V1_2, join(times(6, INT32), BOOL));
        Signatures.Builder both = rows.apply(implicit.names(EXPLICIT))
                .tail(V1_0, times(9, INT32))
                .tail(V1_2, join(times(9, INT32), BOOL));
        return Window.rules(both)
                .rank("input", 4)
                .sameQuantization("input", "output")
                .range("filterWidth", 1, Integer.MAX_VALUE)
                .range("filterHeight", 1, Integer.MAX_VALUE)
                .zeroSizedInputs()
                .build();
    }

    /** Collects the elements of one window. */
    interface Pool {
        void add(float element);

        /** The window's value; of a window that saw nothing but padding, 0. */
        float value();
    }

    /** An empty pool, one for each window. */
    abstract Pool pool();

    private static ImageOrder layout(OperationContext operation) {
        return ImageOrder.of(operation, operation.at("layout"));
    }

    private static Window window(OperationContext operation, ImageOrder layout) {
        int[] dims = operation.dims(INPUT);
        return Window.over(
                operation,
                layout.height(dims),
                layout.width(dims),
                operation.intValue(operation.at("filterHeight")),
                operation.intValue(operation.at("filterWidth")),
                1,
                1);
    }

    @Override
    protected void inferShapes(OperationContext operation) {
        ImageOrder layout = layout(operation);
        int[] dims = operation.dims(INPUT);
        Window window = window(operation, layout);
        operation.setOutput(
                OUT,
                layout.dims(dims[0], window.rows().output(), window.columns().output(), layout.channels(dims)));
    }

    @Override
    public void execute(ExecutionContext operation) {
        ImageOrder layout = layout(operation);
        Window window = window(operation, layout);
        FusedActivation activation = operation.activation(operation.at("activation"));
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
                            operation
                                    .outInts(OUT)
                                    .setSaturated(
                                            index,
                                            Math.max(
                                                    low,
                                                    Math.min(high, RoundingArithmetic.halfEven(value) + zeroPoint)));
                        } else {
                            operation.outFloats(OUT).set(index, activation.apply(value));
                        }
                    }
                }
            }
        }
    }

    /** In real numbers, or in steps above the zero point: input and output of a quantized pool have one scale. */
    private float value(
            ExecutionContext operation, ImageOrder layout, Window window, int batch, int y, int x, int channel) {
        boolean quantized = operation.type(INPUT).isQuantized();
        FloatView reals = quantized ? null : operation.floats(INPUT);
        IntView steps = quantized ? operation.ints(INPUT) : null;
        int zeroPoint = quantized ? operation.zeroPoint(INPUT) : 0;
        int[] dims = operation.dims(INPUT);
        int top = window.rows().start(y);
        int left = window.columns().start(x);
        int bottom =
                (int) Math.min((long) top + window.rows().taps(), window.rows().input());
        int right = (int)
                Math.min((long) left + window.columns().taps(), window.columns().input());
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
