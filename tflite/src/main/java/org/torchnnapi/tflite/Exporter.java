package org.torchnnapi.tflite;

import com.google.flatbuffers.FlatBufferBuilder;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HashMap;
import java.util.Map;
import java.util.function.ToIntFunction;
import org.tensorflow.lite.schema.BuiltinOperator;
import org.tensorflow.lite.schema.TensorType;
import org.torchnnapi.nnapi.model.Lifetime;
import org.torchnnapi.nnapi.model.Model;
import org.torchnnapi.nnapi.model.Operand;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.Operation;
import org.torchnnapi.nnapi.op.OperationTable;
import org.torchnnapi.tflite.FlatGraph.TensorRef;

/**
 * What the writers of operations share: the tensors that stand for operands, and accessors of an operation's scalars.
 * Unsigned bytes become signed ones, which TensorFlow Lite's kernels want: 128 less, and so the zero point.
 */
final class Exporter {
    private static final int SIGN = 128;
    private static final byte SIGN_BIT = (byte) 0x80;
    /** Operators of signed bytes are version 2 of those of other types. */
    private static final int BYTES_VERSION = 2;

    private final Model model;
    private final FlatGraph graph = new FlatGraph();
    private final Map<Integer, TensorRef> tensors = new HashMap<>();

    Exporter(Model model) {
        this.model = model;
    }

    FlatGraph graph() {
        return graph;
    }

    Model model() {
        return model;
    }

    // Tensors.

    /** The tensor of an operand, made when it is first asked for. */
    TensorRef tensor(int operand) {
        TensorRef known = tensors.get(operand);
        if (known == null) {
            known = named(operand, null);
        }
        return known;
    }

    TensorRef named(int operand, String name) {
        Operand declared = model.operand(operand);
        TensorRef made = graph.tensor(
                name,
                declared.descriptor().dimensions(),
                type(declared.type()),
                declared.descriptor().scale(),
                zeroPoint(declared),
                data(declared));
        tensors.put(operand, made);
        return made;
    }

    /** Lets a tensor stand for an operand. */
    void define(int operand, TensorRef tensor) {
        tensors.put(operand, tensor);
    }

    TensorRef in(Operation operation, int position) {
        return tensor(operation.input(position));
    }

    TensorRef out(Operation operation) {
        return tensor(operation.output(0));
    }

    /** A new tensor of the type and quantization of another. */
    TensorRef like(TensorRef other, int... shape) {
        return graph.tensor(null, shape, other.type(), other.scale(), other.zeroPoint(), null);
    }

    static byte type(OperandType type) {
        return switch (type) {
            case TENSOR_FLOAT32, FLOAT32 -> TensorType.FLOAT32;
            case TENSOR_FLOAT16, FLOAT16 -> TensorType.FLOAT16;
            case TENSOR_INT32, INT32 -> TensorType.INT32;
            case TENSOR_BOOL8, BOOL -> TensorType.BOOL;
            case TENSOR_QUANT8_ASYMM, TENSOR_QUANT8_ASYMM_SIGNED, TENSOR_QUANT8_SYMM -> TensorType.INT8;
            case TENSOR_QUANT16_SYMM -> TensorType.INT16;
            default ->
                throw new UnsupportedByTflite(
                        "operands of type " + type + " (expected: a type that TensorFlow Lite has)");
        };
    }

    private static int zeroPoint(Operand operand) {
        return operand.descriptor().zeroPoint() - (operand.type() == OperandType.TENSOR_QUANT8_ASYMM ? SIGN : 0);
    }

    private static ByteBuffer data(Operand operand) {
        if (!isConstant(operand)) {
            return null;
        }
        ByteBuffer value = operand.value();
        if (operand.type() != OperandType.TENSOR_QUANT8_ASYMM) {
            return value;
        }
        byte[] bytes = new byte[value.remaining()];
        value.get(bytes);
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] ^= SIGN_BIT;
        }
        return ByteBuffer.wrap(bytes);
    }

    static boolean isConstant(Operand operand) {
        return (operand.lifetime() == Lifetime.CONSTANT_COPY || operand.lifetime() == Lifetime.CONSTANT_REFERENCE)
                && operand.value() != null;
    }

    // An operation's constants.

    Operand operand(Operation operation, int position) {
        return model.operand(operation.input(position));
    }

    /** The position of the input of this name; -1 where the operation lacks it. */
    int at(Operation operation, String name) {
        return OperationTable.input(model, operation, name);
    }

    /** The input of this name, which the operation has. */
    TensorRef in(Operation operation, String name) {
        return in(operation, at(operation, name));
    }

    int scalar(Operation operation, String name) {
        ByteBuffer value = constant(operation, name);
        return value.remaining() < Integer.BYTES ? value.get(0) : value.getInt(0);
    }

    int scalar(Operation operation, String name, int absent) {
        return at(operation, name) < 0 ? absent : scalar(operation, name);
    }

    float real(Operation operation, String name) {
        return constant(operation, name).getFloat(0);
    }

    boolean flag(Operation operation, String name) {
        return scalar(operation, name, 0) != 0;
    }

    private ByteBuffer constant(Operation operation, String name) {
        Operand operand = operand(operation, at(operation, name));
        if (!isConstant(operand)) {
            throw new UnsupportedByTflite(
                    operation.type() + " with " + name + " that is computed (expected: a constant)");
        }
        return operand.value().order(ByteOrder.LITTLE_ENDIAN);
    }

    void require(boolean holds, Operation operation, String found, String expected) {
        if (!holds) {
            throw new UnsupportedByTflite(operation.type() + " with " + found + " (expected: " + expected + ")");
        }
    }

    /** TensorFlow Lite's images are N, H, W, C. */
    void requireChannelsLast(Operation operation) {
        require(!flag(operation, "layout"), operation, "N, C, H, W", "N, H, W, C");
    }

    // Operators.

    /** Adds an operator without options. */
    void emit(int builtin, TensorRef out, TensorRef... inputs) {
        emit(builtin, (byte) 0, null, out, inputs);
    }

    void emit(
            int builtin,
            byte optionsType,
            ToIntFunction<FlatBufferBuilder> options,
            TensorRef out,
            TensorRef... inputs) {
        emit(builtin, version(builtin, inputs), optionsType, options, out, inputs);
    }

    void emit(
            int builtin,
            int version,
            byte optionsType,
            ToIntFunction<FlatBufferBuilder> options,
            TensorRef out,
            TensorRef... inputs) {
        int[] in = new int[inputs.length];
        for (int i = 0; i < in.length; i++) {
            in[i] = inputs[i].index();
        }
        graph.operator(builtin, version, optionsType, options, in, out.index());
    }

    private static int version(int builtin, TensorRef... inputs) {
        boolean bytes = inputs.length > 0 && inputs[0].type() == TensorType.INT8;
        if (builtin == BuiltinOperator.HARD_SWISH || builtin == BuiltinOperator.PRELU) {
            return 1;
        }
        if (builtin == BuiltinOperator.FULLY_CONNECTED) {
            return bytes ? 4 : 1;
        }
        return bytes ? BYTES_VERSION : 1;
    }
}
