package org.torchnnapi.nnapi.model;

import java.util.ArrayList;
import java.util.Arrays;
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
    private final int depth;
    private final long operationsInAll;

    Model(
            List<Operand> operands,
            List<Operation> operations,
            int[] inputs,
            int[] outputs,
            boolean relaxed,
            FeatureLevelNeed need) {
        this.operands = List.copyOf(operands);
        this.operations = List.copyOf(operations);
        this.inputs = inputs.clone();
        this.outputs = outputs.clone();
        this.relaxed = relaxed;
        this.need = need;
        int deepest = 0;
        long all = operations.size();
        for (Operand operand : operands) {
            if (operand.referenced() != null) {
                deepest = Math.max(deepest, operand.referenced().depth);
                all = Math.min(Integer.MAX_VALUE, all + operand.referenced().operationsInAll);
            }
        }
        depth = deepest + 1;
        operationsInAll = all;
    }

    /** How many models deep it is: 1 without referenced models. */
    int depth() {
        return depth;
    }

    /** Operations of this and all referenced models, those of a model referenced twice counted twice; saturating. */
    long operationsInAll() {
        return operationsInAll;
    }

    public List<Operand> operands() {
        return operands;
    }

    /** @throws IndexOutOfBoundsException if there is none of that number */
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

    /**
     * The same model with everything that its operations write as outputs, behind its own and in the operations' order.
     */
    public Model withAllOutputs() {
        List<Operand> all = new ArrayList<>(operands);
        List<Integer> written = new ArrayList<>();
        Arrays.stream(outputs).forEach(written::add);
        for (Operation operation : operations) {
            for (int index : operation.outputs()) {
                if (all.get(index).lifetime() == Lifetime.TEMPORARY_VARIABLE) {
                    all.set(index, new Operand(all.get(index).descriptor(), Lifetime.SUBGRAPH_OUTPUT, null, null));
                    written.add(index);
                }
            }
        }
        return new Model(
                all,
                operations,
                inputs,
                written.stream().mapToInt(Integer::intValue).toArray(),
                relaxed,
                need);
    }

    @Override
    public String toString() {
        return "Model[" + operands.size() + " operands, " + operations.size() + " operations, " + need.level() + "]";
    }
}
