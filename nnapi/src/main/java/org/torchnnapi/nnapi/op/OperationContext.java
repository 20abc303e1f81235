package org.torchnnapi.nnapi.op;

import java.util.Arrays;
import org.torchnnapi.nnapi.model.ChannelQuantization;
import org.torchnnapi.nnapi.model.NnapiException;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.nnapi.model.ResultCode;

/**
 * The operands of one operation as {@link OperationDefinition#prepare} sees them: shapes of all inputs, values of those
 * that are already known. Reading a value before it is known ends the preparation, which is then repeated when the
 * value is there.
 */
public class OperationContext {
    /** Thrown when a definition reads a value not known yet; carries nothing, as it only defers the preparation. */
    public static final class ValueNotKnownYet extends RuntimeException {
        private static final ValueNotKnownYet INSTANCE = new ValueNotKnownYet();

        private ValueNotKnownYet() {
            super("an operand's value is not known before the execution", null, false, false);
        }
    }

    private final OperationType operation;
    final OperandValue[] inputs;
    final OperandValue[] outputs;
    private OperandNames names;

    public OperationContext(OperationType operation, OperandValue[] inputs, OperandValue[] outputs) {
        this.operation = operation;
        this.inputs = inputs;
        this.outputs = outputs;
    }

    public final OperationType operation() {
        return operation;
    }

    public final int inputCount() {
        return inputs.length;
    }

    public final int outputCount() {
        return outputs.length;
    }

    private OperandNames names() {
        if (names == null) {
            names = OperationTable.get(operation).signatures().names(inputs.length, this::type);
        }
        return names;
    }

    /** The position of the input of this name, the first of several; -1 where the operation lacks it. */
    public final int at(String name) {
        return names().at(name, inputs.length);
    }

    /** How many inputs have this name. */
    final int count(String name) {
        return names().count(name, inputs.length);
    }

    /** An input for a message. */
    final String told(int input) {
        return "input " + input + " (" + names().name(input, inputs.length) + ")";
    }

    /** Whether the input is in this signature and not left out. */
    public final boolean has(int input) {
        return input >= 0 && input < inputs.length && !inputs[input].isOmitted();
    }

    public final OperandType type(int input) {
        return inputs[input].type();
    }

    public final int rank(int input) {
        return inputs[input].dimensions().length;
    }

    /** The shape of an input; not to be changed. */
    public final int[] dims(int input) {
        return inputs[input].dimensions();
    }

    /** @throws NnapiException BAD_DATA if the rank is too low */
    public final int dim(int input, int axis) {
        int[] dims = inputs[input].dimensions();
        if (axis >= dims.length) {
            throw illegal("rank of " + told(input), dims.length, "> " + axis);
        }
        return dims[axis];
    }

    /** Number of elements of an input. */
    public final int count(int input) {
        return inputs[input].count();
    }

    public final float scale(int input) {
        return inputs[input].declared().scale();
    }

    public final int zeroPoint(int input) {
        return inputs[input].declared().zeroPoint();
    }

    /** The per-channel scales of an input, or null. */
    public final ChannelQuantization channels(int input) {
        return inputs[input].declared().channelQuantization();
    }

    public final OperandType outType(int output) {
        return outputs[output].type();
    }

    public final float outScale(int output) {
        return outputs[output].declared().scale();
    }

    public final int outZeroPoint(int output) {
        return outputs[output].declared().zeroPoint();
    }

    private OperandValue known(int input) {
        OperandValue value = inputs[input];
        if (!value.isKnown()) {
            throw ValueNotKnownYet.INSTANCE;
        }
        if (value.count() == 0 && !value.type().isTensor()) {
            throw illegal(told(input), "no value", "a scalar");
        }
        return value;
    }

    /** The value of an INT32, UINT32 or BOOL scalar. */
    public final int intValue(int input) {
        return known(input).ints().get(0);
    }

    /** The same, or {@code absent} where the signature lacks the input or it is left out. */
    public final int intValue(int input, int absent) {
        return has(input) ? intValue(input) : absent;
    }

    public final boolean bool(int input) {
        return intValue(input) != 0;
    }

    public final boolean bool(int input, boolean absent) {
        return has(input) ? bool(input) : absent;
    }

    /** The value of a FLOAT32 or FLOAT16 scalar. */
    public final float floatValue(int input) {
        return known(input).floats().get(0);
    }

    /** All elements of an integer tensor, such as a shape or a list of axes. */
    public final int[] intArray(int input) {
        OperandValue value = known(input);
        int[] array = new int[value.count()];
        for (int i = 0; i < array.length; i++) {
            array[i] = value.ints().get(i);
        }
        return array;
    }

    /**
     * The fused activation an INT32 scalar names.
     *
     * @throws NnapiException BAD_DATA if none has this code
     */
    public final FusedActivation activation(int input) {
        int code = intValue(input);
        FusedActivation activation = FusedActivation.ofCode(code);
        if (activation == null) {
            throw illegal("fused activation", code, "0 to 3");
        }
        return activation;
    }

    /** An axis from 0 on; a negative one counts from the end. */
    public final int axis(int axis, int rank) {
        require(axis >= -rank && axis < rank, "axis", axis, -rank + " to " + (rank - 1));
        return axis < 0 ? axis + rank : axis;
    }

    /** Elements of an input as real numbers (float32, float16, quantized). */
    public final FloatView floats(int input) {
        return known(input).floats();
    }

    /** Elements of an input as stored integers (INT32, BOOL8, quantized; raw bits of floats). */
    public final IntView ints(int input) {
        return known(input).ints();
    }

    /**
     * Sets an output's shape; its type, scale and zero point are the model's.
     *
     * @throws NnapiException BAD_DATA if the model declares another shape, OUTPUT_INSUFFICIENT_SIZE if the caller's
     *     buffer is too small
     */
    public void setOutput(int output, int... dims) {
        outputs[output].resize(dims);
    }

    /** @throws NnapiException BAD_DATA unless {@code holds}; see {@link ValidationContext#require} */
    public final void require(boolean holds, String what, Object found, String expected) {
        if (!holds) {
            throw illegal(what, found, expected);
        }
    }

    /** The same without boxing. */
    public final void require(boolean holds, String what, int found, String expected) {
        if (!holds) {
            throw illegal(what, found, expected);
        }
    }

    /**
     * The product of two sizes.
     *
     * @throws NnapiException BAD_DATA if it is no 32-bit integer
     */
    public final int product(String what, int a, int b) {
        long product = (long) a * b;
        require(product == (int) product, what, product, "a 32-bit integer");
        return (int) product;
    }

    public final void requireRank(int input, int rank) {
        if (rank(input) != rank) {
            throw illegal("rank of " + told(input), rank(input), String.valueOf(rank));
        }
    }

    /** Demands that input {@code input} has exactly this shape. */
    public final void requireDims(int input, int... dims) {
        if (!Arrays.equals(dims(input), dims)) {
            throw illegal("shape of " + told(input), Arrays.toString(dims(input)), Arrays.toString(dims));
        }
    }

    /** The exception for an operand that breaks a rule: the operation, what, the value found, the rule. */
    public final NnapiException illegal(String what, Object found, String expected) {
        return new NnapiException(
                ResultCode.BAD_DATA, operation + ": " + what + ": " + found + " (expected: " + expected + ")");
    }
}
