package org.torchnnapi.c;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.torchnnapi.nnapi.model.ModelBuilder;
import org.torchnnapi.nnapi.model.OperandDescriptor;
import org.torchnnapi.nnapi.model.OperationType;

/**
 * The operands of a model by the numbers that the caller gives them. They differ from the builder's where RESHAPE
 * brings an input of more dimensions than Android lets it to a constant shape: PyTorch's converter writes such models,
 * for which the numbers in memory count alone. The builder then has another operand in its place, whose last dimensions
 * are folded into one.
 */
final class OperandNumbers {
    /** What RESHAPE takes at most. */
    private static final int MAX_RANK = 4;

    private final ModelBuilder builder;
    private final List<OperandDescriptor> descriptors = new ArrayList<>();
    private final List<Integer> numbers = new ArrayList<>();
    /** By the builder's numbers, the caller's. */
    private final List<Integer> given = new ArrayList<>();

    private final BitSet folded = new BitSet();
    private final BitSet constant = new BitSet();

    OperandNumbers(ModelBuilder builder) {
        this.builder = builder;
    }

    void add(OperandDescriptor descriptor) {
        numbers.add(builder.addOperand(descriptor));
        given.add(descriptors.size());
        descriptors.add(descriptor);
    }

    /** Says that an operand has a value. */
    void setConstant(int index) {
        constant.set(index);
    }

    int count() {
        return descriptors.size();
    }

    OperandDescriptor descriptor(int index) {
        return descriptors.get(index);
    }

    /** The builder's number. */
    int of(int index) {
        if (index < 0 || index >= descriptors.size()) {
            throw Answer.bad("operand index: " + index + " (expected: 0 to " + (descriptors.size() - 1) + ")");
        }
        return numbers.get(index);
    }

    int[] of(int[] indexes) {
        int[] own = new int[indexes.length];
        for (int i = 0; i < own.length; i++) {
            own[i] = of(indexes[i]);
        }
        return own;
    }

    /** The caller's number for one of the builder's. */
    int givenAs(int number) {
        return given.get(number);
    }

    /**
     * Makes an operation's inputs such as it takes, where only their rank is in the way; for any other it is refused.
     */
    void prepare(OperationType operation, int[] inputs) {
        of(inputs);
        for (int i = 0; i < inputs.length; i++) {
            if (operation == OperationType.RESHAPE && i == 0 && inputs.length == 2 && constant.get(inputs[1])) {
                fold(inputs[i]);
            } else if (folded.get(inputs[i])) {
                throw Answer.bad("operand " + inputs[i] + ": " + descriptor(inputs[i]) + " for " + operation
                        + " (expected: for RESHAPE alone)");
            }
        }
    }

    private void fold(int index) {
        OperandDescriptor whole = descriptors.get(index);
        if (folded.get(index)
                || whole.rank() <= MAX_RANK
                || !whole.isFullySpecified()
                || whole.elementCount() > Integer.MAX_VALUE) {
            return;
        }
        int[] dimensions = new int[MAX_RANK];
        long rest = whole.elementCount();
        for (int i = 0; i < MAX_RANK - 1; i++) {
            dimensions[i] = whole.dimension(i);
            rest /= dimensions[i];
        }
        dimensions[MAX_RANK - 1] = (int) rest;
        numbers.set(index, builder.addOperand(whole.withDimensions(dimensions)));
        given.add(index);
        folded.set(index);
    }
}
