package org.torchnnapi.driver.cpu;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.torchnnapi.kernels.Clamp;
import org.torchnnapi.kernels.ImageLayout;
import org.torchnnapi.kernels.MappedPages;
import org.torchnnapi.kernels.Precision;
import org.torchnnapi.kernels.Weights;
import org.torchnnapi.nnapi.model.Lifetime;
import org.torchnnapi.nnapi.model.Model;
import org.torchnnapi.nnapi.model.Operand;
import org.torchnnapi.nnapi.model.OperandDescriptor;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.Operation;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.nnapi.model.Problem;
import org.torchnnapi.nnapi.op.FusedActivation;
import org.torchnnapi.nnapi.op.OperandNames;
import org.torchnnapi.nnapi.op.OperationTable;
import org.torchnnapi.program.ByteQuantization;
import org.torchnnapi.program.Element;
import org.torchnnapi.program.Op;
import org.torchnnapi.program.ValueType;
import org.torchnnapi.tensor.Half;

/** One operation where it stands in its model, with its operands at hand. */
record OperationView(Model model, Operation operation) {
    /** The tensors the device computes with. */
    static final Set<OperandType> SUPPORTED = EnumSet.of(
            OperandType.TENSOR_FLOAT32,
            OperandType.TENSOR_FLOAT16,
            OperandType.TENSOR_QUANT8_ASYMM,
            OperandType.TENSOR_QUANT8_ASYMM_SIGNED);

    /** The same and those it moves, compares and counts with. */
    static final Set<OperandType> COMPUTED = EnumSet.of(
            OperandType.TENSOR_FLOAT32,
            OperandType.TENSOR_FLOAT16,
            OperandType.TENSOR_QUANT8_ASYMM,
            OperandType.TENSOR_QUANT8_ASYMM_SIGNED,
            OperandType.TENSOR_INT32,
            OperandType.TENSOR_BOOL8);

    /** What the inputs of an operation are called that has them in one order only. */
    static OperandNames inputs(OperationType type) {
        return OperationTable.get(type).signatures().all().get(0).names();
    }

    /** The position of an input that an operation has at one position only. */
    static int input(OperationType type, String name) {
        return OperationTable.get(type).signatures().input(name);
    }

    int inputs() {
        return operation.inputCount();
    }

    /** The position of the input of this name, the first of several; -1 where the operation lacks it. */
    int at(String name) {
        return OperationTable.input(model, operation, name);
    }

    Operand operand(int input) {
        return model.operand(operation.input(input));
    }

    OperandDescriptor in(int input) {
        return operand(input).descriptor();
    }

    OperandDescriptor out() {
        return out(0);
    }

    OperandDescriptor out(int output) {
        return model.operand(operation.output(output)).descriptor();
    }

    /** Whether an input is given: neither past the end of the signature nor left out. */
    boolean has(int input) {
        return input >= 0 && input < inputs() && operand(input).lifetime() != Lifetime.NO_VALUE;
    }

    boolean isConstant(int input) {
        return operand(input).lifetime().isConstant();
    }

    boolean isFloat() {
        return in(0).type().isFloat();
    }

    /** How exact floats have to be: those of 16 bits, and where the model is relaxed others, no more than such. */
    Precision precision() {
        return model.isRelaxed() || in(0).type() == OperandType.TENSOR_FLOAT16 ? Precision.FLOAT16 : Precision.FLOAT32;
    }

    boolean isSigned() {
        return in(0).type() == OperandType.TENSOR_QUANT8_ASYMM_SIGNED;
    }

    /** A constant scalar's value, of BOOL as 0 or 1. */
    int intValue(int input) {
        ByteBuffer value = operand(input).value();
        return in(input).type() == OperandType.BOOL ? value.get(0) : value.getInt(0);
    }

    /** The same, or {@code absent} when the signature ends before. */
    int intValue(int input, int absent) {
        return input >= 0 && input < inputs() ? intValue(input) : absent;
    }

    /** A constant scalar's value, of either width. */
    float floatValue(int input) {
        ByteBuffer value = operand(input).value();
        return in(input).type() == OperandType.FLOAT16 ? Half.toFloat(value.getShort(0)) : value.getFloat(0);
    }

    int[] ints(int input) {
        return ints(operand(input));
    }

    static int[] ints(Operand constant) {
        ByteBuffer value = constant.value();
        int[] ints = new int[value.remaining() / Integer.BYTES];
        value.asIntBuffer().get(ints);
        return ints;
    }

    float[] floats(int input) {
        return floats(operand(input));
    }

    /** The values of a constant, those of 16 bits widened. */
    static float[] floats(Operand constant) {
        ByteBuffer value = constant.value();
        SixteenBits widened = SixteenBits.of(constant.descriptor());
        if (widened != null) {
            return widened.widened(value.asShortBuffer()).array();
        }
        float[] floats = new float[value.remaining() / Float.BYTES];
        value.asFloatBuffer().get(floats);
        return floats;
    }

    /** Constants that stay where they lie until they are packed, but 16-bit floats, which are widened. */
    Weights weights(int input) {
        return in(input).type() == OperandType.TENSOR_FLOAT16
                ? Weights.of(floats(input))
                : Weights.stored(operand(input).value());
    }

    byte[] bytes(int input) {
        return bytes(operand(input));
    }

    static byte[] bytes(Operand constant) {
        ByteBuffer value = constant.value();
        byte[] bytes = new byte[value.remaining()];
        value.get(bytes);
        MappedPages.release(value);
        return bytes;
    }

    static Clamp clamp(int code) {
        return switch (FusedActivation.ofCode(code)) {
            case NONE -> Clamp.NONE;
            case RELU -> Clamp.RELU;
            case RELU1 -> Clamp.RELU1;
            case RELU6 -> Clamp.RELU6;
        };
    }

    /** The least byte an activation lets through, within the output's type. */
    int low(FusedActivation activation) {
        return limited(activation.quantizedLow(out().scale(), out().zeroPoint()));
    }

    /** The largest byte an activation lets through, within the output's type. */
    int high(FusedActivation activation) {
        return limited(activation.quantizedHigh(out().scale(), out().zeroPoint()));
    }

    private int limited(long value) {
        return (int) Math.max(
                out().type().element().min(), Math.min(out().type().element().max(), value));
    }

    /** What a supported tensor of known shape is to a program. */
    static ValueType type(OperandDescriptor descriptor) {
        return switch (descriptor.type()) {
            // Numbers of 16 bits are brought to what they stand for at the door.
            case TENSOR_FLOAT32, TENSOR_FLOAT16, TENSOR_QUANT16_ASYMM, TENSOR_QUANT16_SYMM ->
                ValueType.floats(descriptor.dimensions());
            case TENSOR_QUANT8_ASYMM ->
                ValueType.bytes(quantization(Element.UINT8, descriptor), descriptor.dimensions());
            // The scales of channels are the operation's own matter.
            case TENSOR_QUANT8_SYMM_PER_CHANNEL ->
                ValueType.bytes(new ByteQuantization(Element.INT8, 1, 0), descriptor.dimensions());
            case TENSOR_QUANT8_ASYMM_SIGNED, TENSOR_QUANT8_SYMM ->
                ValueType.bytes(quantization(Element.INT8, descriptor), descriptor.dimensions());
            case TENSOR_INT32, INT32 -> ValueType.ints(descriptor.dimensions());
            case TENSOR_BOOL8 -> ValueType.flags(descriptor.dimensions());
            default ->
                throw new IllegalArgumentException("operand: " + descriptor
                        + " (expected: a tensor of floats, 8-bit numbers, 32-bit numbers or flags)");
        };
    }

    private static ByteQuantization quantization(Element element, OperandDescriptor descriptor) {
        return new ByteQuantization(element, descriptor.scale(), descriptor.zeroPoint());
    }

    /** The type of an input. */
    ValueType type(int input) {
        return type(in(input));
    }

    /** What the bytes of the output stand for. */
    ByteQuantization outQuantization() {
        return type(out()).quantization();
    }

    /** Null when an operation takes the first inputs and gives the declared output, else what is wrong. */
    Problem problem(Op op, int inputs) {
        try {
            List<ValueType> types = new ArrayList<>();
            for (int i = 0; i < inputs; i++) {
                types.add(type(i));
            }
            ValueType result = op.result(types);
            return result.equals(type(out())) ? null : Problem.of("output", out(), result.toString());
        } catch (IllegalArgumentException e) {
            return Problem.ofMessage(e.getMessage());
        }
    }

    /** The layout its own images have when the flag at that input (none: NHWC) tells. */
    ImageLayout flagged(int input) {
        return intValue(input, 0) != 0 ? ImageLayout.NCHW : ImageLayout.NHWC;
    }

    /** Null when no input is left out, else the problem. */
    Problem omission() {
        for (int i = 0; i < inputs(); i++) {
            if (operand(i).lifetime() == Lifetime.NO_VALUE
                    && !OperationTable.get(operation.type()).signatures().isOptional(i)) {
                return Problem.of("input " + i, "omitted", "given");
            }
        }
        return null;
    }

    /** Null when no tensor is too large, else the problem. */
    Problem sizeProblem() {
        for (int i = 0; i < inputs() + operation.outputCount(); i++) {
            if (operandAt(i).descriptor().elementCount() > Integer.MAX_VALUE / Float.BYTES) {
                return Problem.of("operand " + i, operandAt(i).descriptor(), "under 2^29 elements");
            }
        }
        return null;
    }

    /** An input, or beyond them an output. */
    private Operand operandAt(int position) {
        return model.operand(position < inputs() ? operation.input(position) : operation.output(position - inputs()));
    }

    /** The operand whose shape the model leaves open, null when all are known. */
    Operand openShape() {
        for (int i = 0; i < inputs() + operation.outputCount(); i++) {
            Operand operand = operandAt(i);
            if (operand.type().isTensor()
                    && operand.lifetime() != Lifetime.NO_VALUE
                    && !operand.descriptor().isFullySpecified()) {
                return operand;
            }
        }
        return null;
    }

    /** Whether a program can only be made once the value of that input is known, and it is not. */
    boolean isOpenParameter(int input) {
        Lifetime lifetime = operand(input).lifetime();
        OperationLowering kind = LoweringTable.of(this);
        return !lifetime.isConstant() && lifetime != Lifetime.NO_VALUE && kind != null && kind.isParameter(this, input);
    }

    /** Whether shapes and parameters are known, so that a program can be made. */
    boolean isKnown() {
        for (int i = 0; i < inputs(); i++) {
            if (isOpenParameter(i)) {
                return false;
            }
        }
        return openShape() == null;
    }

    /** Null when the input is one of the supported tensors, else the problem. */
    Problem typeProblem(int input) {
        return SUPPORTED.contains(in(input).type())
                ? null
                : Problem.of("input " + input, in(input).type(), "one of " + SUPPORTED);
    }

    /** Null when the input is a tensor of floats, 8-bit numbers, 32-bit numbers or flags, else the problem. */
    Problem anyTypeProblem(int input) {
        return COMPUTED.contains(in(input).type())
                ? null
                : Problem.of("input " + input, in(input).type(), "one of " + COMPUTED);
    }

    /** Null when the input is of floats, else the problem. */
    Problem realProblem(int input) {
        return in(input).type().isFloat()
                ? null
                : Problem.of(
                        "input " + input,
                        in(input).type(),
                        OperandType.TENSOR_FLOAT32 + " or " + OperandType.TENSOR_FLOAT16);
    }

    /** Null when the input is of coordinates, floats or unsigned numbers of 16 bits, else the problem. */
    Problem coordinatesProblem(int input) {
        OperandType type = in(input).type();
        return type.isFloat() || type == OperandType.TENSOR_QUANT16_ASYMM
                ? null
                : Problem.of("input " + input, type, "floats or " + OperandType.TENSOR_QUANT16_ASYMM);
    }

    static int product(int[] dimensions, int from, int to) {
        int product = 1;
        for (int i = from; i < to; i++) {
            product *= dimensions[i];
        }
        return product;
    }

    /** The first of several problems, null when there is none. */
    static Problem first(Problem... problems) {
        for (Problem problem : problems) {
            if (problem != null) {
                return problem;
            }
        }
        return null;
    }
}
