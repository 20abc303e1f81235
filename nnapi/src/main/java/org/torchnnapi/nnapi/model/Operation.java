package org.torchnnapi.nnapi.model;

import java.util.Arrays;

/**
 * One operation of a model.
 *
 * @param inputs operand indexes, by the positions the operation names
 * @param outputs operand indexes
 */
public record Operation(OperationType type, int[] inputs, int[] outputs) {
    public Operation {
        inputs = inputs.clone();
        outputs = outputs.clone();
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

    public int input(int position) {
        return inputs[position];
    }

    public int outputCount() {
        return outputs.length;
    }

    public int output(int position) {
        return outputs[position];
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Operation that && type == that.type && Arrays.equals(inputs, that.inputs)
                && Arrays.equals(outputs, that.outputs);
    }

    @Override
    public int hashCode() {
        return 31 * (31 * type.hashCode() + Arrays.hashCode(inputs)) + Arrays.hashCode(outputs);
    }

    @Override
    public String toString() {
        return type + Arrays.toString(inputs) + " -> " + Arrays.toString(outputs);
    }
}
