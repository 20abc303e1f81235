package org.torchnnapi.driver.cpu;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.torchnnapi.nnapi.model.NnapiException;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.nnapi.model.ResultCode;
import org.torchnnapi.tensor.WindowAxis;

/**
 * Models whose windows have numbers at the ends of their ranges: refused for what they are, or computed as the
 * reference device does.
 */
class ExtremeWindowsKindTest {
    private static final int MAX = Integer.MAX_VALUE;
    private static final int WIDTH = 7;
    private static final int[] STEPS = {1, 1, 2, 3, 65536, 1 << 30, MAX - 1, MAX};
    private static final int[] PADDINGS = {0, 0, 1, 2, 5, 65536, (1 << 30) - 8, 1 << 30, MAX - 1, MAX};
    private static final int[] FILTERS = {1, 3, 8, 65537, 1 << 30, MAX};
    /** Averages of bytes are of no more. */
    private static final int[] FILTERS_OF_BYTES = {1, 3, 8, 16384};

    private static final int MOST_WINDOWS = 100;

    private record WindowNumbers(int filter, int stride, int dilation, int left, int right) {}

    private static int any(Random random, int[] values) {
        return values[random.nextInt(values.length)];
    }

    private static boolean isPool(OperationType operation) {
        return operation == OperationType.MAX_POOL_2D
                || operation == OperationType.AVERAGE_POOL_2D
                || operation == OperationType.L2_POOL_2D;
    }

    /** One operation over an image of one row; along the width its filter has {@code filter} taps. */
    private static int apply(Graphs graph, OperationType operation, int x, WindowNumbers w, int outputs) {
        int zero = graph.scalar(0);
        int one = graph.scalar(1);
        int left = graph.scalar(w.left());
        int right = graph.scalar(w.right());
        int stride = graph.scalar(w.stride());
        int[] out = {1, 1, outputs, 1};
        if (isPool(operation)) {
            return graph.apply(
                    operation, out, x, left, right, zero, zero, stride, one, graph.scalar(w.filter()), one, zero);
        }
        int weights = graph.weights(1, 1, w.filter(), 1);
        int bias = graph.bias(1);
        return switch (operation) {
            case CONV_2D ->
                graph.apply(
                        operation,
                        out,
                        x,
                        weights,
                        bias,
                        left,
                        right,
                        zero,
                        zero,
                        stride,
                        one,
                        zero,
                        graph.flag(false),
                        graph.scalar(w.dilation()),
                        one);
            case DEPTHWISE_CONV_2D ->
                graph.apply(
                        operation,
                        out,
                        x,
                        weights,
                        bias,
                        left,
                        right,
                        zero,
                        zero,
                        stride,
                        one,
                        one,
                        zero,
                        graph.flag(false),
                        graph.scalar(w.dilation()),
                        one);
            case GROUPED_CONV_2D ->
                graph.apply(
                        operation,
                        out,
                        x,
                        weights,
                        bias,
                        left,
                        right,
                        zero,
                        zero,
                        stride,
                        one,
                        one,
                        zero,
                        graph.flag(false));
            default ->
                graph.apply(
                        operation,
                        out,
                        x,
                        weights,
                        bias,
                        left,
                        right,
                        zero,
                        zero,
                        stride,
                        one,
                        zero,
                        graph.flag(false));
        };
    }

    private static void refused(OperandType type, OperationType operation, WindowNumbers w) {
        NnapiException e = assertThrows(
                NnapiException.class,
                () -> {
                    Graphs graph = new Graphs(1, type);
                    int x = graph.tensor(1, 1, WIDTH, 1);
                    graph.compare(new int[] {x}, apply(graph, operation, x, w, 1));
                },
                () -> operation + " of " + w);
        assertEquals(ResultCode.BAD_DATA, e.resultCode(), e.getMessage());
        assertTrue(e.getMessage().contains(operation + ": ") && e.getMessage().contains("(expected: "), e.getMessage());
    }

    @ParameterizedTest
    @EnumSource(
            value = OperandType.class,
            names = {"TENSOR_FLOAT32", "TENSOR_QUANT8_ASYMM"})
    void numbersBeyondPositionsAreRefused(OperandType type) {
        for (OperationType operation : new OperationType[] {
            OperationType.CONV_2D, OperationType.DEPTHWISE_CONV_2D, OperationType.GROUPED_CONV_2D
        }) {
            refused(type, operation, new WindowNumbers(3, 65536, 1, MAX, MAX));
            refused(type, operation, new WindowNumbers(3, 1, 1, 0, MAX));
        }
        refused(type, OperationType.CONV_2D, new WindowNumbers(3, 1, MAX, 2, 2));
        refused(type, OperationType.DEPTHWISE_CONV_2D, new WindowNumbers(3, 1, MAX, 2, 2));
        refused(type, OperationType.TRANSPOSE_CONV_2D, new WindowNumbers(3, MAX, 1, 0, 0));
        for (OperationType pool :
                new OperationType[] {OperationType.MAX_POOL_2D, OperationType.AVERAGE_POOL_2D, OperationType.L2_POOL_2D
                }) {
            if (pool != OperationType.L2_POOL_2D || type.isFloat()) {
                refused(type, pool, new WindowNumbers(MAX, 1, 1, 0, MAX - 1));
                refused(type, pool, new WindowNumbers(3, 1, 1, MAX, 0));
            }
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = OperandType.class,
            names = {"TENSOR_FLOAT32", "TENSOR_QUANT8_ASYMM", "TENSOR_QUANT8_ASYMM_SIGNED"})
    void whatPositionsHoldIsComputed(OperandType type) {
        Random random = new Random(40);
        int computed = 0;
        int refused = 0;
        for (int round = 0; round < 600; round++) {
            OperationType operation = new OperationType[] {
                        OperationType.CONV_2D,
                        OperationType.DEPTHWISE_CONV_2D,
                        OperationType.GROUPED_CONV_2D,
                        OperationType.MAX_POOL_2D,
                        OperationType.AVERAGE_POOL_2D,
                        OperationType.L2_POOL_2D
                    }
                    [random.nextInt(type.isFloat() ? 6 : 5)];
            boolean dilated = operation == OperationType.CONV_2D || operation == OperationType.DEPTHWISE_CONV_2D;
            int filter = isPool(operation)
                    ? any(random, type.isFloat() ? FILTERS : FILTERS_OF_BYTES)
                    : 1 + random.nextInt(3);
            // Often so much padding that a wide filter fits, since little would by chance.
            int right = random.nextBoolean() ? any(random, PADDINGS) : filter - 1;
            WindowNumbers w = new WindowNumbers(
                    filter, any(random, STEPS), dilated ? any(random, STEPS) : 1, any(random, PADDINGS), right);
            WindowAxis axis;
            try {
                axis = WindowAxis.of(WIDTH, w.filter(), w.stride(), w.dilation(), w.left(), w.right());
            } catch (IllegalArgumentException e) {
                refused(type, operation, w);
                refused++;
                continue;
            }
            if (axis.output() > MOST_WINDOWS
                    || isPool(operation) && axis.start(axis.output() - 1) >= WIDTH
                    || isPool(operation) && w.left() >= w.filter()) {
                // Large, or a pooling window that touches nothing.
                continue;
            }
            Graphs graph = new Graphs(round, type);
            int x = graph.tensor(1, 1, WIDTH, 1);
            graph.compare(new int[] {x}, apply(graph, operation, x, w, axis.output()));
            computed++;
        }
        assertTrue(computed > 30 && refused > 30, computed + " computed, " + refused + " refused");
    }

    /** Taps all in the padding; and at -2, 2 and 6. */
    @Test
    void oneWindowOfStepsBeyondTheImage() {
        for (OperandType type : new OperandType[] {OperandType.TENSOR_FLOAT32, OperandType.TENSOR_QUANT8_ASYMM}) {
            for (OperationType operation :
                    new OperationType[] {OperationType.CONV_2D, OperationType.DEPTHWISE_CONV_2D}) {
                for (WindowNumbers w :
                        new WindowNumbers[] {new WindowNumbers(3, MAX, 1, 5, 5), new WindowNumbers(3, MAX, 4, 2, 2)}) {
                    Graphs graph = new Graphs(3, type);
                    int x = graph.tensor(1, 1, WIDTH, 1);
                    graph.compare(new int[] {x}, apply(graph, operation, x, w, 1));
                }
            }
        }
    }
}
