package org.torchnnapi.driver.cpu;

import java.util.Arrays;
import org.torchnnapi.kernels.Clamp;
import org.torchnnapi.program.ValueType;
import org.torchnnapi.program.op.CellFunction;
import org.torchnnapi.program.op.LinearOp;
import org.torchnnapi.program.op.ReshapeOp;
import org.torchnnapi.program.op.SliceOp;
import org.torchnnapi.program.op.TransposeOp;

/** What recurrent layers have in common. Programs have sequences with time first: {@code [steps, batch, features]}. */
final class Sequences {
    private static final int[] EXCHANGED = {1, 0, 2};

    private Sequences() {}

    /** An input of an operation with time first; a single step if it has no time. */
    static int timeFirst(OperationView site, Translation translation, int input, boolean timeMajor) {
        int value = translation.in(site, input);
        int[] shape = translation.type(value).shape();
        return shape.length == 2
                ? translation.add(new ReshapeOp(new int[] {1, shape[0], shape[1]}), value)
                : timeMajor ? value : exchanged(translation, value);
    }

    /** A sequence with time first in the order, and shape, that an output is declared in. */
    static int declared(Translation translation, int value, boolean timeMajor, int[] shape) {
        return translation.add(new ReshapeOp(shape), timeMajor ? value : exchanged(translation, value));
    }

    private static int exchanged(Translation translation, int value) {
        int[] shape = translation.type(value).shape();
        return shape[0] == 1 || shape[1] == 1
                ? translation.add(new ReshapeOp(new int[] {shape[1], shape[0], shape[2]}), value)
                : translation.add(new TransposeOp(EXCHANGED), value);
    }

    /** A part of adjacent elements in a shape of its own. */
    static int part(Translation translation, int value, int from, int... shape) {
        ValueType type = translation.type(value);
        int flat = translation.add(new ReshapeOp(new int[] {type.count()}), value);
        int count = OperationView.product(shape, 0, shape.length);
        return translation.add(
                new ReshapeOp(shape), translation.add(SliceOp.of(translation.type(flat), 0, from, from + count), flat));
    }

    /** What a layer's outputs are after its last step: {@code [batch, units]} of {@code [steps, batch, units]}. */
    static int last(Translation translation, int outputs, boolean reverse) {
        int[] shape = translation.type(outputs).shape();
        int row = shape[1] * shape[2];
        return part(translation, outputs, reverse ? 0 : (shape[0] - 1) * row, shape[1], shape[2]);
    }

    /** The features of each step times constant weights {@code [sums][features]}. */
    static int weighted(Translation translation, int sequence, float[] weights, float[] bias) {
        int features = translation.type(sequence).dimension(2);
        return translation.add(new LinearOp(features, weights.length / features, weights, bias, Clamp.NONE), sequence);
    }

    /** The constants at adjacent inputs one after the other; those that are left out are no part of it. */
    static float[] joined(OperationView site, int from, int to) {
        float[] all = {};
        for (int i = from; i < to; i++) {
            if (site.has(i)) {
                float[] next = site.floats(i);
                int at = all.length;
                all = Arrays.copyOf(all, at + next.length);
                System.arraycopy(next, 0, all, at, next.length);
            }
        }
        return all;
    }

    /** Each row of one matrix, then that of another. */
    static float[] beside(float[] left, float[] right, int rows) {
        float[] all = new float[left.length + right.length];
        int columns = left.length / rows;
        int others = right.length / rows;
        for (int row = 0; row < rows; row++) {
            System.arraycopy(left, row * columns, all, row * (columns + others), columns);
            System.arraycopy(right, row * others, all, row * (columns + others) + columns, others);
        }
        return all;
    }

    /** The function that a constant scalar names. */
    static CellFunction function(OperationView site, int input) {
        int code = site.intValue(input);
        return switch (code) {
            case 0 -> CellFunction.NONE;
            case 1 -> CellFunction.RELU;
            case 2 -> CellFunction.RELU1;
            case 3 -> CellFunction.RELU6;
            case 4 -> CellFunction.TANH;
            case 6 -> CellFunction.SIGMOID;
            default -> throw new IllegalArgumentException("activation: " + code + " (expected: 0 to 4 or 6)");
        };
    }

    /** The limits of [-limit, limit]; none for a limit of 0, as the specification has it. */
    static Clamp clip(float limit) {
        return limit > 0 ? new Clamp(-limit, limit) : Clamp.NONE;
    }
}
