package org.torchnnapi.nnapi.model;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import org.torchnnapi.tensor.platform.Buffers;

/**
 * A model with more known than it says: shapes it leaves open, values of operands that are none of its constants, and
 * optional inputs that are left out. Operands keep their numbers, inputs and outputs their places.
 */
public final class Specialization {
    /** Which input of which operation reads a value as a constant. */
    @FunctionalInterface
    public interface Reader {
        boolean readsConstant(Operation operation, int input);
    }

    private final Model model;
    private final List<Operand> operands;
    /** By operand the one that readers are given in its place; itself where there is none. */
    private final int[] replacements;

    /** Begins with nothing more known. */
    public Specialization(Model model) {
        this.model = model;
        operands = new ArrayList<>(model.operands());
        replacements = new int[operands.size()];
        for (int i = 0; i < replacements.length; i++) {
            replacements[i] = i;
        }
    }

    /**
     * Gives a tensor the shape that the model leaves open; a shape without elements, or that of another operand, is
     * left as it is.
     */
    public void shape(int operand, int... dimensions) {
        Operand open = operands.get(operand);
        boolean empty = dimensions.length == 0;
        for (int dimension : dimensions) {
            empty |= dimension == 0;
        }
        if (open.type().isTensor()
                && !open.lifetime().isConstant()
                && !open.descriptor().isFullySpecified()
                && !empty) {
            operands.set(
                    operand, new Operand(open.descriptor().withDimensions(dimensions), open.lifetime(), null, null));
        }
    }

    /**
     * Gives an operand, of known shape, its value.
     *
     * @param value little-endian, from index 0 to the capacity; kept
     * @throws NnapiException BAD_DATA if the length is another than the shape says
     */
    public void value(int operand, ByteBuffer value) {
        OperandDescriptor descriptor = operands.get(operand).descriptor();
        OperandRules.checkConstantLength(descriptor, value.capacity(), operand);
        replace(
                operand,
                new Operand(
                        descriptor,
                        Lifetime.CONSTANT_REFERENCE,
                        Buffers.whole(value).order(ByteOrder.LITTLE_ENDIAN),
                        null));
    }

    /** Says that an input is left out. */
    public void omit(int operand) {
        replace(operand, new Operand(operands.get(operand).descriptor(), Lifetime.NO_VALUE, null, null));
    }

    private void replace(int operand, Operand by) {
        replacements[operand] = operands.size();
        operands.add(by);
    }

    /**
     * The model.
     *
     * @param reader asked where a value was given; an input that is left out is so for all
     */
    public Model finish(Reader reader) {
        List<Operation> operations = new ArrayList<>();
        for (Operation operation : model.operations()) {
            int[] inputs = new int[operation.inputCount()];
            int[] outputs = new int[operation.outputCount()];
            for (int i = 0; i < inputs.length; i++) {
                int operand = operation.input(i);
                int replacement = replacements[operand];
                boolean replaced = replacement != operand
                        && (operands.get(replacement).lifetime() == Lifetime.NO_VALUE
                                || reader.readsConstant(operation, i));
                inputs[i] = replaced ? replacement : operand;
            }
            for (int i = 0; i < outputs.length; i++) {
                outputs[i] = operation.output(i);
            }
            operations.add(operation.with(inputs, outputs));
        }
        return new Model(
                operands, operations, model.inputs(), model.outputs(), model.isRelaxed(), model.featureLevelNeed());
    }
}
