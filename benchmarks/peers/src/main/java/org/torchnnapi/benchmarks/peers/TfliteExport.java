package org.torchnnapi.benchmarks.peers;

import static java.util.Map.entry;

import com.google.flatbuffers.FlatBufferBuilder;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.torchnnapi.nnapi.model.Lifetime;
import org.torchnnapi.nnapi.model.Model;
import org.torchnnapi.nnapi.model.Operand;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.Operation;
import org.torchnnapi.nnapi.model.OperationType;

/**
 * An NNAPI model as a TensorFlow Lite flat buffer (schema version 3, tensorflow/lite/schema/schema.fbs). The two families
 * name their operations, layouts and fused activations alike; what differs is padding and the sign of bytes.
 *
 * <p>TensorFlow Lite has no explicit padding. A window whose output size is SAME's becomes SAME: the arithmetic is the same
 * amount, borders may shift by a pixel, which is good for comparing times and not for comparing outputs. Unsigned bytes
 * become signed ones, which XNNPACK wants.
 */
final class TfliteExport {
    private static final int SAME = 0;
    private static final int VALID = 1;
    private static final int UNSIGNED_TO_SIGNED = 128;

    /** Builtin operator code, options type (0 for none) and how the options follow from the operation. */
    private record Rule(int code, int optionsType, Writer writer) { }

    private interface Writer {
        /** Writes options; tensors are appended to {@code inputs}, which holds the leading tensor inputs. Returns an offset or 0. */
        int write(TfliteExport export, Operation operation);
    }

    /** Operator and option codes: enums BuiltinOperator and BuiltinOptions of the schema. */
    private static final Map<OperationType, Rule> RULES = Map.ofEntries(
            entry(OperationType.ADD, new Rule(0, 11, TfliteExport::fusedOnly)),
            entry(OperationType.AVERAGE_POOL_2D, new Rule(1, 5, TfliteExport::pool)),
            entry(OperationType.CONCATENATION, new Rule(2, 10, TfliteExport::concatenation)),
            entry(OperationType.CONV_2D, new Rule(3, 1, TfliteExport::convolution)),
            entry(OperationType.DEPTHWISE_CONV_2D, new Rule(4, 2, TfliteExport::depthwise)),
            entry(OperationType.DEQUANTIZE, new Rule(6, 0, TfliteExport::none)),
            entry(OperationType.FULLY_CONNECTED, new Rule(9, 8, TfliteExport::fusedOnly)),
            entry(OperationType.LOGISTIC, new Rule(14, 0, TfliteExport::none)),
            entry(OperationType.MAX_POOL_2D, new Rule(17, 5, TfliteExport::pool)),
            entry(OperationType.MUL, new Rule(18, 21, TfliteExport::fusedOnly)),
            entry(OperationType.RELU, new Rule(19, 0, TfliteExport::none)),
            entry(OperationType.RELU6, new Rule(21, 0, TfliteExport::none)),
            entry(OperationType.RESHAPE, new Rule(22, 17, TfliteExport::reshape)),
            entry(OperationType.SOFTMAX, new Rule(25, 9, TfliteExport::softmax)),
            entry(OperationType.MEAN, new Rule(40, 27, TfliteExport::mean)),
            entry(OperationType.TRANSPOSE, new Rule(39, 26, TfliteExport::empty)),
            entry(OperationType.QUANTIZE, new Rule(114, 0, TfliteExport::none)),
            entry(OperationType.HARD_SWISH, new Rule(117, 0, TfliteExport::none)));

    /** How many leading inputs of an operation stay tensors; the others are scalars that become options. */
    private static final Map<OperationType, Integer> TENSOR_INPUTS = Map.ofEntries(
            entry(OperationType.ADD, 2), entry(OperationType.MUL, 2), entry(OperationType.AVERAGE_POOL_2D, 1),
            entry(OperationType.MAX_POOL_2D, 1), entry(OperationType.CONV_2D, 3), entry(OperationType.DEPTHWISE_CONV_2D, 3),
            entry(OperationType.FULLY_CONNECTED, 3), entry(OperationType.LOGISTIC, 1), entry(OperationType.RELU, 1),
            entry(OperationType.RELU6, 1), entry(OperationType.RESHAPE, 2), entry(OperationType.SOFTMAX, 1),
            entry(OperationType.MEAN, 2), entry(OperationType.TRANSPOSE, 2), entry(OperationType.QUANTIZE, 1),
            entry(OperationType.DEQUANTIZE, 1), entry(OperationType.HARD_SWISH, 1));

    private final Model model;
    private final FlatBufferBuilder out = new FlatBufferBuilder(1 << 20);
    private final List<Integer> buffers = new ArrayList<>();

    TfliteExport(Model model) {
        this.model = model;
    }

    /** @throws IllegalArgumentException for an operation or layout without a counterpart */
    byte[] write() {
        buffers.add(new FlatTable(out).end());
        int[] tensors = new int[model.operands().size()];
        for (int i = 0; i < tensors.length; i++) {
            tensors[i] = tensor(i);
        }
        Set<OperationType> used = new LinkedHashSet<>();
        model.operations().forEach(operation -> used.add(operation.type()));
        List<OperationType> codes = List.copyOf(used);
        int[] operators = model.operations().stream().mapToInt(operation -> operator(operation, codes)).toArray();
        int[] operatorCodes = codes.stream().mapToInt(this::operatorCode).toArray();
        int tensorVector = tables(tensors);
        int inputs = ints(model.inputs());
        int outputs = ints(model.outputs());
        int operatorVector = tables(operators);
        int graph = new FlatTable(out).offset(0, tensorVector).offset(1, inputs).offset(2, outputs).offset(3, operatorVector).end();
        int graphs = tables(graph);
        int codeVector = tables(operatorCodes);
        int bufferVector = tables(buffers.stream().mapToInt(Integer::intValue).toArray());
        int root = new FlatTable(out).int32(0, 3).offset(1, codeVector).offset(2, graphs).offset(4, bufferVector).end();
        out.finish(root, "TFL3");
        return out.sizedByteArray();
    }

    private int operatorCode(OperationType type) {
        int code = RULES.get(type).code();
        return new FlatTable(out).int8(0, code).int32(2, 1).int32(3, code).end();
    }

    private int operator(Operation operation, List<OperationType> codes) {
        Rule rule = RULES.get(operation.type());
        if (rule == null) {
            throw new IllegalArgumentException(operation.type() + " (expected one of " + RULES.keySet() + ")");
        }
        int tensorInputs = operation.type() == OperationType.CONCATENATION
                ? operation.inputCount() - 1 : TENSOR_INPUTS.get(operation.type());
        int options = rule.writer().write(this, operation);
        int inputs = ints(Arrays.copyOf(operation.inputs(), tensorInputs));
        int outputs = ints(operation.outputs());
        FlatTable table = new FlatTable(out).int32(0, codes.indexOf(operation.type())).offset(1, inputs).offset(2, outputs);
        if (rule.optionsType() != 0) {
            table.int8(3, rule.optionsType()).offset(4, options);
        }
        return table.end();
    }

    private int tensor(int index) {
        Operand operand = model.operand(index);
        OperandType type = operand.type();
        int shape = ints(operand.descriptor().dimensions());
        int name = out.createString("t" + index);
        int quantization = 0;
        float scale = operand.descriptor().scale();
        if (scale != 0) {
            int zeroPoint = operand.descriptor().zeroPoint() - (type == OperandType.TENSOR_QUANT8_ASYMM ? UNSIGNED_TO_SIGNED : 0);
            out.startVector(Float.BYTES, 1, Float.BYTES);
            out.addFloat(scale);
            int scales = out.endVector();
            out.startVector(Long.BYTES, 1, Long.BYTES);
            out.addLong(zeroPoint);
            int zeroPoints = out.endVector();
            quantization = new FlatTable(out).offset(2, scales).offset(3, zeroPoints).end();
        }
        FlatTable table = new FlatTable(out).offset(0, shape).int8(1, tensorType(type)).int32(2, buffer(operand)).offset(3, name);
        if (quantization != 0) {
            table.offset(4, quantization);
        }
        return table.end();
    }

    /** Code in the schema's enum TensorType. */
    private static int tensorType(OperandType type) {
        return switch (type) {
            case TENSOR_FLOAT32, FLOAT32 -> 0;
            case TENSOR_INT32, INT32 -> 2;
            case BOOL -> 6;
            case TENSOR_QUANT8_ASYMM, TENSOR_QUANT8_ASYMM_SIGNED -> 9;
            default -> throw new IllegalArgumentException(type + " has no tensor type in this export");
        };
    }

    private int buffer(Operand operand) {
        boolean constant = operand.lifetime() == Lifetime.CONSTANT_COPY || operand.lifetime() == Lifetime.CONSTANT_REFERENCE;
        if (!constant || operand.value() == null) {
            return 0;
        }
        ByteBuffer value = operand.value();
        byte[] bytes = new byte[value.remaining()];
        value.get(bytes);
        if (operand.type() == OperandType.TENSOR_QUANT8_ASYMM) {
            for (int i = 0; i < bytes.length; i++) {
                bytes[i] ^= (byte) UNSIGNED_TO_SIGNED;
            }
        }
        out.startVector(1, bytes.length, 16);
        for (int i = bytes.length - 1; i >= 0; i--) {
            out.addByte(bytes[i]);
        }
        int data = out.endVector();
        buffers.add(new FlatTable(out).offset(0, data).end());
        return buffers.size() - 1;
    }

    private int convolution(Operation operation) {
        boolean explicit = operation.inputCount() >= 10;
        Window window = explicit ? explicitWindow(operation, 3, kernel(operation)) : implicitWindow(operation, 3);
        int fused = scalar(operation, explicit ? 9 : 6);
        requireNhwc(operation, explicit ? 10 : 7);
        int dilationX = optional(operation, explicit ? 11 : 8, 1);
        int dilationY = optional(operation, explicit ? 12 : 9, 1);
        return new FlatTable(out).int8(0, window.padding).int32(1, window.strideX).int32(2, window.strideY).int8(3, fused)
                .int32(4, dilationX).int32(5, dilationY).end();
    }

    private int depthwise(Operation operation) {
        boolean explicit = operation.inputCount() >= 11;
        Window window = explicit ? explicitWindow(operation, 3, kernel(operation)) : implicitWindow(operation, 3);
        int multiplier = scalar(operation, explicit ? 9 : 6);
        int fused = scalar(operation, explicit ? 10 : 7);
        requireNhwc(operation, explicit ? 11 : 8);
        int dilationX = optional(operation, explicit ? 12 : 9, 1);
        int dilationY = optional(operation, explicit ? 13 : 10, 1);
        return new FlatTable(out).int8(0, window.padding).int32(1, window.strideX).int32(2, window.strideY).int32(3, multiplier)
                .int8(4, fused).int32(5, dilationX).int32(6, dilationY).end();
    }

    private int pool(Operation operation) {
        boolean explicit = operation.inputCount() >= 10;
        int size = explicit ? 7 : 4;
        int[] kernel = {scalar(operation, size + 1), scalar(operation, size)};
        Window window = explicit ? explicitWindow(operation, 1, kernel) : implicitWindow(operation, 1);
        int fused = scalar(operation, size + 2);
        requireNhwc(operation, size + 3);
        return new FlatTable(out).int8(0, window.padding).int32(1, window.strideX).int32(2, window.strideY).int32(3, kernel[1])
                .int32(4, kernel[0]).int8(5, fused).end();
    }

    private int fusedOnly(Operation operation) {
        return new FlatTable(out).int8(0, scalar(operation, operation.inputCount() - 1)).end();
    }

    private int concatenation(Operation operation) {
        return new FlatTable(out).int32(0, scalar(operation, operation.inputCount() - 1)).end();
    }

    private int softmax(Operation operation) {
        return new FlatTable(out).float32(0, model.operand(operation.input(1)).value().getFloat(0)).end();
    }

    private int mean(Operation operation) {
        return new FlatTable(out).bool(0, scalar(operation, 2) != 0).end();
    }

    private int reshape(Operation operation) {
        int shape = ints(model.operand(operation.output(0)).descriptor().dimensions());
        return new FlatTable(out).offset(0, shape).end();
    }

    private int empty(Operation operation) {
        return new FlatTable(out).end();
    }

    private int none(Operation operation) {
        return 0;
    }

    private record Window(int padding, int strideX, int strideY) { }

    /** Kernel height and width of a convolution's filter. */
    private int[] kernel(Operation operation) {
        int[] filter = model.operand(operation.input(1)).descriptor().dimensions();
        return new int[] {filter[1], filter[2]};
    }

    /** From left, right, top, bottom, stride x, stride y at {@code first}. */
    private Window explicitWindow(Operation operation, int first, int[] kernel) {
        int strideX = scalar(operation, first + 4);
        int strideY = scalar(operation, first + 5);
        boolean padded = false;
        for (int i = 0; i < 4; i++) {
            padded |= scalar(operation, first + i) != 0;
        }
        if (!padded) {
            return new Window(VALID, strideX, strideY);
        }
        int[] input = model.operand(operation.input(0)).descriptor().dimensions();
        int[] output = model.operand(operation.output(0)).descriptor().dimensions();
        if (output[1] != Math.ceilDiv(input[1], strideY) || output[2] != Math.ceilDiv(input[2], strideX)) {
            throw new IllegalArgumentException(operation.type() + " from " + Arrays.toString(input) + " to " + Arrays.toString(output)
                    + " with a kernel of " + Arrays.toString(kernel) + " (expected: no padding, or the output size of SAME)");
        }
        return new Window(SAME, strideX, strideY);
    }

    /** From padding scheme, stride x, stride y at {@code first}; NNAPI counts SAME as 1 and VALID as 2. */
    private Window implicitWindow(Operation operation, int first) {
        return new Window(scalar(operation, first) - 1, scalar(operation, first + 1), scalar(operation, first + 2));
    }

    private void requireNhwc(Operation operation, int position) {
        if (optional(operation, position, 0) != 0) {
            throw new IllegalArgumentException(operation.type() + ": NCHW (expected: a model converted with NHWC inputs)");
        }
    }

    private int optional(Operation operation, int position, int absent) {
        return position < operation.inputCount() ? scalar(operation, position) : absent;
    }

    private int scalar(Operation operation, int position) {
        ByteBuffer value = model.operand(operation.input(position)).value().order(ByteOrder.LITTLE_ENDIAN);
        return value.remaining() < Integer.BYTES ? value.get(0) : value.getInt(0);
    }

    private int ints(int[] values) {
        out.startVector(Integer.BYTES, values.length, Integer.BYTES);
        for (int i = values.length - 1; i >= 0; i--) {
            out.addInt(values[i]);
        }
        return out.endVector();
    }

    private int tables(int... offsets) {
        return out.createVectorOfTables(offsets);
    }
}
