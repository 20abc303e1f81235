package org.torchnnapi.benchmarks.peers;

import static java.util.Map.entry;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.torchnnapi.benchmarks.peers.TfliteGraph.ElementType;
import org.torchnnapi.nnapi.model.Lifetime;
import org.torchnnapi.nnapi.model.Model;
import org.torchnnapi.nnapi.model.Operand;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.Operation;
import org.torchnnapi.nnapi.model.OperationType;

/**
 * An NNAPI model as a TensorFlow Lite one. The two families name their operations, layouts and fused activations alike;
 * what differs is padding and the sign of bytes. TensorFlow Lite has no explicit padding: see {@link Padding}. Unsigned
 * bytes become signed ones, which XNNPACK wants.
 */
final class PeerTfliteExport {
    /** What becomes of a window whose explicit padding is not what TensorFlow Lite's SAME would add. */
    enum Padding {
        /** A PAD operator before an unpadded window: the same outputs. */
        EXACT,
        /**
         * SAME all the same, where the size of the output allows it. The arithmetic is the same amount, and one pass
         * less; the window shifts by a pixel, so that outputs differ, as if the model had been trained in TensorFlow.
         */
        SAME
    }

    private static final int SAME = 0;
    private static final int VALID = 1;
    private static final int UNSIGNED_TO_SIGNED = 128;

    private interface Writer {
        void write(PeerTfliteExport export, Operation operation);
    }

    private static final Map<OperationType, Writer> WRITERS = Map.ofEntries(
            entry(OperationType.ADD, (e, o) -> e.fused(TfliteOperator.ADD, o, 2)),
            entry(OperationType.AVERAGE_POOL_2D, (e, o) -> e.pool(TfliteOperator.AVERAGE_POOL_2D, o)),
            entry(OperationType.CONCATENATION, PeerTfliteExport::concatenation),
            entry(OperationType.CONV_2D, PeerTfliteExport::convolution),
            entry(OperationType.DEPTHWISE_CONV_2D, PeerTfliteExport::depthwise),
            entry(OperationType.DEQUANTIZE, (e, o) -> e.plain(TfliteOperator.DEQUANTIZE, o)),
            entry(OperationType.FULLY_CONNECTED, (e, o) -> e.fused(TfliteOperator.FULLY_CONNECTED, o, 3)),
            entry(OperationType.LOGISTIC, (e, o) -> e.plain(TfliteOperator.LOGISTIC, o)),
            entry(OperationType.MAX_POOL_2D, (e, o) -> e.pool(TfliteOperator.MAX_POOL_2D, o)),
            entry(OperationType.MUL, (e, o) -> e.fused(TfliteOperator.MUL, o, 2)),
            entry(OperationType.RELU, (e, o) -> e.plain(TfliteOperator.RELU, o)),
            entry(OperationType.RELU6, (e, o) -> e.plain(TfliteOperator.RELU6, o)),
            entry(OperationType.RESHAPE, PeerTfliteExport::reshape),
            entry(OperationType.RESIZE_BILINEAR, (e, o) -> e.resize(TfliteOperator.RESIZE_BILINEAR, 2, o)),
            entry(
                    OperationType.RESIZE_NEAREST_NEIGHBOR,
                    (e, o) -> e.resize(TfliteOperator.RESIZE_NEAREST_NEIGHBOR, 0, o)),
            entry(OperationType.SOFTMAX, PeerTfliteExport::softmax),
            entry(OperationType.MEAN, PeerTfliteExport::mean),
            entry(OperationType.TRANSPOSE, (e, o) -> e.operator(TfliteOperator.TRANSPOSE, e.graph.options(), o, 2)),
            entry(OperationType.QUANTIZE, (e, o) -> e.plain(TfliteOperator.QUANTIZE, o)),
            entry(OperationType.HARD_SWISH, (e, o) -> e.plain(TfliteOperator.HARD_SWISH, o)));

    private final Model model;
    private final Padding padding;
    private final TfliteGraph graph = new TfliteGraph();
    private final Map<Integer, Integer> tensors = new HashMap<>();
    private boolean shifted;

    PeerTfliteExport(Model model, Padding padding) {
        this.model = model;
        this.padding = padding;
    }

    /**
     * Writes the model.
     *
     * @throws IllegalArgumentException for an operation or layout without a counterpart
     */
    byte[] write() {
        int[] inputs = tensors(model.inputs());
        PeerHardSwishes hardSwishes = new PeerHardSwishes(model);
        for (Operation operation : model.operations()) {
            if (hardSwishes.isInner(operation)) {
                continue;
            }
            Integer argument = hardSwishes.arguments().get(operation);
            if (argument != null) {
                graph.operator(
                        TfliteOperator.HARD_SWISH, null, new int[] {tensor(argument)}, tensors(operation.outputs()));
                continue;
            }
            Writer writer = WRITERS.get(operation.type());
            if (writer == null) {
                throw new IllegalArgumentException(operation.type() + " (expected: one of " + WRITERS.keySet() + ")");
            }
            writer.write(this, operation);
        }
        return graph.finish(inputs, tensors(model.outputs()));
    }

    /** Whether a window was shifted, so that outputs differ; known after {@link #write}. */
    boolean hasShiftedWindows() {
        return shifted;
    }

    private int[] tensors(int[] operands) {
        return Arrays.stream(operands).map(this::tensor).toArray();
    }

    private int tensor(int operand) {
        Integer known = tensors.get(operand);
        if (known == null) {
            known = like(
                    model.operand(operand),
                    model.operand(operand).descriptor().dimensions(),
                    constant(model.operand(operand)));
            tensors.put(operand, known);
        }
        return known;
    }

    private int like(Operand operand, int[] shape, byte[] data) {
        int zeroPoint = operand.descriptor().zeroPoint()
                - (operand.type() == OperandType.TENSOR_QUANT8_ASYMM ? UNSIGNED_TO_SIGNED : 0);
        return graph.tensor(
                shape, elementType(operand.type()), operand.descriptor().scale(), zeroPoint, data);
    }

    private static ElementType elementType(OperandType type) {
        return switch (type) {
            case TENSOR_FLOAT32, FLOAT32 -> ElementType.FLOAT32;
            case TENSOR_INT32, INT32 -> ElementType.INT32;
            case BOOL -> ElementType.BOOL;
            case TENSOR_QUANT8_ASYMM, TENSOR_QUANT8_ASYMM_SIGNED -> ElementType.INT8;
            default -> throw new IllegalArgumentException(type + " has no tensor type in this export");
        };
    }

    private static byte[] constant(Operand operand) {
        boolean constant =
                operand.lifetime() == Lifetime.CONSTANT_COPY || operand.lifetime() == Lifetime.CONSTANT_REFERENCE;
        if (!constant || operand.value() == null) {
            return null;
        }
        ByteBuffer value = operand.value().duplicate();
        byte[] bytes = new byte[value.remaining()];
        value.get(bytes);
        if (operand.type() == OperandType.TENSOR_QUANT8_ASYMM) {
            for (int i = 0; i < bytes.length; i++) {
                bytes[i] ^= (byte) UNSIGNED_TO_SIGNED;
            }
        }
        return bytes;
    }

    /** @param tensorInputs how many leading inputs stay tensors; the others are scalars that became options */
    private void operator(TfliteOperator operator, FlatTable options, Operation operation, int tensorInputs) {
        int[] inputs = tensors(Arrays.copyOf(operation.inputs(), tensorInputs));
        graph.operator(operator, options, inputs, tensors(operation.outputs()));
    }

    private void plain(TfliteOperator operator, Operation operation) {
        operator(operator, null, operation, 1);
    }

    private void fused(TfliteOperator operator, Operation operation, int tensorInputs) {
        operator(
                operator,
                graph.options().int8(0, scalar(operation, operation.inputCount() - 1)),
                operation,
                tensorInputs);
    }

    private void convolution(Operation operation) {
        boolean explicit = operation.inputCount() >= 10;
        requireNhwc(operation, explicit ? 10 : 7);
        int dilationX = optional(operation, explicit ? 11 : 8, 1);
        int dilationY = optional(operation, explicit ? 12 : 9, 1);
        Window window = window(operation, explicit, 3, kernel(operation, dilationY, dilationX));
        FlatTable options = graph.options()
                .int8(0, window.padding)
                .int32(1, window.strideX)
                .int32(2, window.strideY)
                .int8(3, scalar(operation, explicit ? 9 : 6))
                .int32(4, dilationX)
                .int32(5, dilationY);
        windowed(TfliteOperator.CONV_2D, options, operation, window, 3);
    }

    private void depthwise(Operation operation) {
        boolean explicit = operation.inputCount() >= 11;
        requireNhwc(operation, explicit ? 11 : 8);
        int dilationX = optional(operation, explicit ? 12 : 9, 1);
        int dilationY = optional(operation, explicit ? 13 : 10, 1);
        Window window = window(operation, explicit, 3, kernel(operation, dilationY, dilationX));
        FlatTable options = graph.options()
                .int8(0, window.padding)
                .int32(1, window.strideX)
                .int32(2, window.strideY)
                .int32(3, scalar(operation, explicit ? 9 : 6))
                .int8(4, scalar(operation, explicit ? 10 : 7))
                .int32(5, dilationX)
                .int32(6, dilationY);
        windowed(TfliteOperator.DEPTHWISE_CONV_2D, options, operation, window, 3);
    }

    private void pool(TfliteOperator operator, Operation operation) {
        boolean explicit = operation.inputCount() >= 10;
        int size = explicit ? 7 : 4;
        requireNhwc(operation, size + 3);
        int[] kernel = {scalar(operation, size + 1), scalar(operation, size)};
        Window window = window(operation, explicit, 1, kernel);
        FlatTable options = graph.options()
                .int8(0, window.padding)
                .int32(1, window.strideX)
                .int32(2, window.strideY)
                .int32(3, kernel[1])
                .int32(4, kernel[0])
                .int8(5, scalar(operation, size + 2));
        windowed(operator, options, operation, window, 1);
    }

    private void windowed(
            TfliteOperator operator, FlatTable options, Operation operation, Window window, int tensorInputs) {
        int[] inputs = tensors(Arrays.copyOf(operation.inputs(), tensorInputs));
        if (window.before != null) {
            if (operator == TfliteOperator.AVERAGE_POOL_2D) {
                throw new IllegalArgumentException(operator + " with padding " + window
                        + " (expected: none, or that of SAME, since padding must not count)");
            }
            inputs[0] = padded(operation, inputs[0], window, operator == TfliteOperator.MAX_POOL_2D);
        }
        graph.operator(operator, options, inputs, tensors(operation.outputs()));
    }

    private int padded(Operation operation, int input, Window window, boolean maximum) {
        Operand operand = model.operand(operation.input(0));
        int[] shape = operand.descriptor().dimensions().clone();
        shape[1] += window.before[0] + window.after[0];
        shape[2] += window.before[1] + window.after[1];
        int paddings = graph.constant(
                new int[] {4, 2}, 0, 0, window.before[0], window.after[0], window.before[1], window.after[1], 0, 0);
        int result = like(operand, shape, null);
        /* Zeros never win over what a rectifier leaves; XNNPACK has the zero-padding operator only. */
        if (!maximum || isRectified(operation.input(0))) {
            graph.operator(TfliteOperator.PAD, graph.options(), new int[] {input, paddings}, result);
            return result;
        }
        boolean quantized = operand.type().isQuantized();
        byte[] least = quantized
                ? new byte[] {Byte.MIN_VALUE}
                : ByteBuffer.allocate(Float.BYTES)
                        .order(ByteOrder.LITTLE_ENDIAN)
                        .putFloat(Float.NEGATIVE_INFINITY)
                        .array();
        int value = like(operand, new int[0], least);
        graph.operator(TfliteOperator.PADV2, graph.options(), new int[] {input, paddings, value}, result);
        return result;
    }

    private boolean isRectified(int operand) {
        for (Operation operation : model.operations()) {
            if (operation.output(0) == operand) {
                return switch (operation.type()) {
                    case RELU, RELU6 -> true;
                    case CONV_2D -> scalar(operation, operation.inputCount() >= 10 ? 9 : 6) % 2 == 1;
                    default -> false;
                };
            }
        }
        return false;
    }

    private void concatenation(Operation operation) {
        int tensorInputs = operation.inputCount() - 1;
        operator(
                TfliteOperator.CONCATENATION,
                graph.options().int32(0, scalar(operation, tensorInputs)),
                operation,
                tensorInputs);
    }

    private void softmax(Operation operation) {
        float beta = model.operand(operation.input(1))
                .value()
                .duplicate()
                .order(ByteOrder.LITTLE_ENDIAN)
                .getFloat(0);
        operator(TfliteOperator.SOFTMAX, graph.options().float32(0, beta), operation, 1);
    }

    private void mean(Operation operation) {
        operator(TfliteOperator.MEAN, graph.options().bool(0, scalar(operation, 2) != 0), operation, 2);
    }

    private void reshape(Operation operation) {
        int shape = graph.ints(model.operand(operation.output(0)).descriptor().dimensions());
        operator(TfliteOperator.RESHAPE, graph.options().offset(0, shape), operation, 2);
    }

    /** @param firstOption number of the option for aligned corners; that for half-pixel centres follows */
    private void resize(TfliteOperator operator, int firstOption, Operation operation) {
        requireNhwc(operation, 3);
        int[] shape = model.operand(operation.output(0)).descriptor().dimensions();
        int size = graph.constant(new int[] {2}, shape[1], shape[2]);
        FlatTable options = graph.options()
                .bool(firstOption, optional(operation, 4, 0) != 0)
                .bool(firstOption + 1, optional(operation, 5, 0) != 0);
        graph.operator(operator, options, new int[] {tensor(operation.input(0)), size}, tensors(operation.outputs()));
    }

    /**
     * Where a window moves.
     *
     * @param before rows above and columns to the left that a PAD operator adds, or null for none; {@code after}
     *     likewise
     */
    private record Window(int padding, int strideX, int strideY, int[] before, int[] after) {}

    /** Height and width that a convolution's filter reaches over. */
    private int[] kernel(Operation operation, int dilationY, int dilationX) {
        int[] filter = model.operand(operation.input(1)).descriptor().dimensions();
        return new int[] {(filter[1] - 1) * dilationY + 1, (filter[2] - 1) * dilationX + 1};
    }

    /**
     * Reads left, right, top, bottom, stride x, stride y at {@code first}; or padding scheme, stride x, stride y, where
     * NNAPI counts SAME as 1 and VALID as 2.
     */
    private Window window(Operation operation, boolean explicit, int first, int[] kernel) {
        if (!explicit) {
            return new Window(
                    scalar(operation, first) - 1,
                    scalar(operation, first + 1),
                    scalar(operation, first + 2),
                    null,
                    null);
        }
        int strideX = scalar(operation, first + 4);
        int strideY = scalar(operation, first + 5);
        int[] before = {scalar(operation, first + 2), scalar(operation, first)};
        int[] after = {scalar(operation, first + 3), scalar(operation, first + 1)};
        if (before[0] + before[1] + after[0] + after[1] == 0) {
            return new Window(VALID, strideX, strideY, null, null);
        }
        int[] input = model.operand(operation.input(0)).descriptor().dimensions();
        int[] output = model.operand(operation.output(0)).descriptor().dimensions();
        int[] strides = {strideY, strideX};
        boolean sameSize = true;
        boolean samePlace = true;
        for (int i = 0; i < 2; i++) {
            int total = Math.max((output[i + 1] - 1) * strides[i] + kernel[i] - input[i + 1], 0);
            sameSize &= output[i + 1] == Math.ceilDiv(input[i + 1], strides[i]);
            samePlace &= before[i] == total / 2;
        }
        if (sameSize && (samePlace || padding == Padding.SAME)) {
            shifted |= !samePlace;
            return new Window(SAME, strideX, strideY, null, null);
        }
        return new Window(VALID, strideX, strideY, before, after);
    }

    private void requireNhwc(Operation operation, int position) {
        if (optional(operation, position, 0) != 0) {
            throw new IllegalArgumentException(
                    operation.type() + ": NCHW (expected: a model converted with NHWC inputs)");
        }
    }

    private int optional(Operation operation, int position, int absent) {
        return position < operation.inputCount() ? scalar(operation, position) : absent;
    }

    private int scalar(Operation operation, int position) {
        ByteBuffer value =
                model.operand(operation.input(position)).value().duplicate().order(ByteOrder.LITTLE_ENDIAN);
        return value.remaining() < Integer.BYTES ? value.get(0) : value.getInt(0);
    }
}
