package org.torchnnapi.nnapi.model;

import java.util.List;

/**
 * A finished model: legal, immutable, its operations in an order in which they can run. Made by {@link ModelBuilder}.
 */
public final class Model {
    private final List<Operand> operands;
    private final List<Operation> operations;
    private final int[] inputs;
    private final int[] outputs;
    private final boolean relaxed;
    private final FeatureLevelNeed need;

    Model(List<Operand> operands, List<Operation> operations, int[] inputs, int[] outputs, boolean relaxed, FeatureLevelNeed need) {
        this.operands = List.copyOf(operands);
        this.operations = List.copyOf(operations);
        this.inputs = inputs.clone();
        this.outputs = outputs.clone();
        this.relaxed = relaxed;
        this.need = need;
    }

    public List<Operand> operands() {
        return operands;
    }

    public Operand operand(int index) {
        return operands.get(index);
    }

    /** In a valid execution order. */
    public List<Operation> operations() {
        return operations;
    }

    /** Operand indexes of the model's inputs. */
    public int[] inputs() {
        return inputs.clone();
    }

    /** Operand indexes of the model's outputs. */
    public int[] outputs() {
        return outputs.clone();
    }

    public int inputCount() {
        return inputs.length;
    }

    public int outputCount() {
        return outputs.length;
    }

    /** The operand of input number {@code position}. */
    public Operand input(int position) {
        return operands.get(inputs[position]);
    }

    /** The operand of output number {@code position}. */
    public Operand output(int position) {
        return operands.get(outputs[position]);
    }

    /** Whether float32 may be computed with the range and precision of float16. */
    public boolean isRelaxed() {
        return relaxed;
    }

    /** The lowest feature level that accepts the model, and what needs it. */
    public FeatureLevelNeed featureLevelNeed() {
        return need;
    }

    @Override
    public String toString() {
        return "Model[" + operands.size() + " operands, " + operations.size() + " operations, " + need.level() + "]";
    }
}
