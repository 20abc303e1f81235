package org.torchnnapi.nnapi.model;

import java.util.Arrays;
import java.util.Objects;

/**
 * One operation of a model.
 *
 * @param inputs operand indexes, by the positions the operation names
 * @param outputs operand indexes
 * @param extension which of an extension's operations it is where the type is EXTENSION, else null
 */
public record Operation(OperationType type, int[] inputs, int[] outputs, ExtensionCode extension) {
    public Operation {
        if ((type == OperationType.EXTENSION) != (extension != null)) {
            throw new NnapiException(
                    ResultCode.BAD_DATA,
                    "extension of " + type + ": " + extension + " (expected: "
                            + (extension == null ? "one of its operations" : "none but for EXTENSION") + ")");
        }
        inputs = inputs.clone();
        outputs = outputs.clone();
    }

    /** An operation that the specification defines. */
    public Operation(OperationType type, int[] inputs, int[] outputs) {
        this(type, inputs, outputs, null);
    }

    /** The same on other operands. */
    public Operation with(int[] newInputs, int[] newOutputs) {
        return new Operation(type, newInputs, newOutputs, extension);
    }

    /** What it is called: the type, or the extension with the operation's code there. */
    public String name() {
        return extension == null ? type.name() : extension.toString();
    }

    @Override
    public int[] inputs() {
        return inputs.clone();
    }

    @Override
    public int[] outputs() {
        return outputs.clone();
    }

    public int inputCount() {
        return inputs.length;
    }

    /** The operand that it reads there, by its number in the model. */
    public int input(int position) {
        return inputs[position];
    }

    public int outputCount() {
        return outputs.length;
    }

    /** The operand that it writes there, by its number in the model. */
    public int output(int position) {
        return outputs[position];
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Operation that
                && type == that.type
                && Objects.equals(extension, that.extension)
                && Arrays.equals(inputs, that.inputs)
                && Arrays.equals(outputs, that.outputs);
    }

    @Override
    public int hashCode() {
        return 31 * (31 * type.hashCode() + Arrays.hashCode(inputs)) + Arrays.hashCode(outputs);
    }

    @Override
    public String toString() {
        return name() + Arrays.toString(inputs) + " -> " + Arrays.toString(outputs);
    }
}
