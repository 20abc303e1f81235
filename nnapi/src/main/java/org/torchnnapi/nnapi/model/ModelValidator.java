package org.torchnnapi.nnapi.model;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.PriorityQueue;
import org.torchnnapi.nnapi.op.OperationDefinition;
import org.torchnnapi.nnapi.op.OperationTable;
import org.torchnnapi.nnapi.op.ValidationContext;
import org.torchnnapi.nnapi.op.Verdict;

/**
 * Checks a model as a whole: every operation against its definition, lifetimes, and an order in which it can run.
 * Linear in the model.
 */
public final class ModelValidator {
    private static final int MAX_DEPTH = 64;
    private static final int MAX_OPERATIONS = 1_000_000;

    private ModelValidator() {}

    /** An operation seen by its definition, its operands described one way or another. */
    private abstract static class View extends ValidationContext {
        final Operation operation;
        private final boolean leavesValues;

        View(Operation operation, boolean leavesValues) {
            this.operation = operation;
            this.leavesValues = leavesValues;
        }

        @Override
        protected boolean leavesValues() {
            return leavesValues;
        }

        @Override
        public int inputCount() {
            return operation.inputCount();
        }

        @Override
        public int outputCount() {
            return operation.outputCount();
        }
    }

    /**
     * An operation of a model still being built: types are settled; roles and values are as far as they are given by
     * now.
     */
    private static final class UnfinishedView extends View {
        private final List<OperandDescriptor> descriptors;
        private final List<Lifetime> lifetimes;
        private final List<ByteBuffer> values;
        private final List<Model> referenced;

        UnfinishedView(
                Operation operation,
                List<OperandDescriptor> descriptors,
                List<Lifetime> lifetimes,
                List<ByteBuffer> values,
                List<Model> referenced,
                boolean leavesValues) {
            super(operation, leavesValues);
            this.descriptors = descriptors;
            this.lifetimes = lifetimes;
            this.values = values;
            this.referenced = referenced;
        }

        @Override
        public OperandDescriptor input(int position) {
            return descriptors.get(operation.input(position));
        }

        @Override
        public OperandDescriptor output(int position) {
            return descriptors.get(operation.output(position));
        }

        @Override
        public Lifetime inputLifetime(int position) {
            return lifetimes.get(operation.input(position));
        }

        @Override
        public ByteBuffer inputValue(int position) {
            ByteBuffer value = values.get(operation.input(position));
            return value == null ? null : value.asReadOnlyBuffer().order(ByteOrder.LITTLE_ENDIAN);
        }

        @Override
        public Model inputModel(int position) {
            return referenced.get(operation.input(position));
        }
    }

    private static final class FinishedView extends View {
        private final List<Operand> operands;

        FinishedView(Operation operation, List<Operand> operands, boolean leavesValues) {
            super(operation, leavesValues);
            this.operands = operands;
        }

        @Override
        public OperandDescriptor input(int position) {
            return operands.get(operation.input(position)).descriptor();
        }

        @Override
        public OperandDescriptor output(int position) {
            return operands.get(operation.output(position)).descriptor();
        }

        @Override
        public Lifetime inputLifetime(int position) {
            return operands.get(operation.input(position)).lifetime();
        }

        @Override
        public ByteBuffer inputValue(int position) {
            return operands.get(operation.input(position)).value();
        }

        @Override
        public Model inputModel(int position) {
            return operands.get(operation.input(position)).referenced();
        }
    }

    /** The verdict on one operation of a finished model, of whose constants the builder has asked what it asks. */
    public static Verdict verdict(Model model, Operation operation) {
        return OperationTable.get(operation.type()).validate(new FinishedView(operation, model.operands(), true));
    }

    static void checkUnfinished(
            Operation operation,
            int number,
            List<OperandDescriptor> descriptors,
            List<Lifetime> lifetimes,
            List<ByteBuffer> values,
            List<Model> referenced,
            boolean leavesValues) {
        Verdict verdict = definition(operation)
                .validateAdded(new UnfinishedView(operation, descriptors, lifetimes, values, referenced, leavesValues));
        if (!verdict.isLegal()) {
            throw bad(operation, number, verdict.problem());
        }
    }

    static Model validate(
            List<Operand> operands,
            List<Operation> operations,
            int[] inputs,
            int[] outputs,
            boolean relaxed,
            boolean leavesValues) {
        checkOperands(operands);
        List<Operation> sorted = sort(operands, operations);
        FeatureLevelNeed need = FeatureLevelNeed.NONE;
        for (int i = 0; i < operations.size(); i++) {
            Operation operation = operations.get(i);
            Verdict verdict = definition(operation).validate(new FinishedView(operation, operands, leavesValues));
            if (!verdict.isLegal()) {
                throw bad(operation, i, verdict.problem());
            }
            need = need.and(verdict.need());
        }
        return requireBounded(new Model(operands, sorted, inputs, outputs, relaxed, need.and(operandNeed(operands))));
    }

    private static OperationDefinition definition(Operation operation) {
        OperationDefinition definition = OperationTable.get(operation.type());
        if (definition == null) {
            throw new NnapiException(
                    ResultCode.BAD_DATA, operation.type() + ": no definition (expected: one of the operation table)");
        }
        return definition;
    }

    private static void checkOperands(List<Operand> operands) {
        for (int i = 0; i < operands.size(); i++) {
            Operand operand = operands.get(i);
            if (operand.type() == OperandType.SUBGRAPH && operand.lifetime() != Lifetime.SUBGRAPH) {
                throw new NnapiException(
                        ResultCode.BAD_DATA,
                        "operand " + i + " SUBGRAPH: no model (expected: setOperandValueFromModel)");
            }
            if (operand.type() == OperandType.TENSOR_QUANT8_SYMM_PER_CHANNEL
                    && operand.descriptor().channelQuantization() == null
                    && operand.lifetime() != Lifetime.NO_VALUE) {
                throw new NnapiException(
                        ResultCode.BAD_DATA,
                        "operand " + i + " " + operand.type()
                                + ": no scales (expected: setOperandSymmPerChannelQuantParams)");
            }
        }
    }

    /**
     * A model that refers to itself through others cannot be built; one that unfolds beyond all bounds can, and is
     * refused.
     */
    private static Model requireBounded(Model model) {
        if (model.depth() > MAX_DEPTH) {
            throw new NnapiException(
                    ResultCode.BAD_DATA,
                    "referenced models: " + model.depth() + " deep (expected: <= " + MAX_DEPTH + ")");
        }
        if (model.operationsInAll() > MAX_OPERATIONS) {
            throw new NnapiException(
                    ResultCode.BAD_DATA,
                    "operations of all referenced models: " + model.operationsInAll() + " or more (expected: <= "
                            + MAX_OPERATIONS + ")");
        }
        return model;
    }

    private static FeatureLevelNeed operandNeed(List<Operand> operands) {
        FeatureLevelNeed need = FeatureLevelNeed.NONE;
        for (int i = 0; i < operands.size(); i++) {
            Operand operand = operands.get(i);
            OperandType type = operand.type();
            if (type.since().compareTo(need.level()) > 0) {
                need = FeatureLevelNeed.of(type.since(), "operand " + i + ": " + type + " came with " + type.since());
            }
            if (need.level().compareTo(FeatureLevel.V1_2) < 0 && isOpen(operand)) {
                need = FeatureLevelNeed.of(
                        FeatureLevel.V1_2,
                        "operand " + i + ": unknown dimensions of " + operand.lifetime() + " came with NNAPI 1.2");
            }
            if (operand.referenced() != null) {
                need = need.and(operand.referenced().featureLevelNeed());
            }
        }
        return need;
    }

    /**
     * Whether dimensions are unknown that releases before 1.2 want to know: all but those of inputs, whose rank they do
     * want.
     */
    static boolean isOpen(Operand operand) {
        if (operand.lifetime() == Lifetime.NO_VALUE || !operand.type().isTensor()) {
            return false;
        }
        return operand.lifetime() == Lifetime.SUBGRAPH_INPUT
                ? !operand.descriptor().hasRank()
                : !operand.descriptor().isFullySpecified();
    }

    /**
     * The operations in an order in which each finds its inputs computed (Kahn's algorithm, keeping the given order
     * where it can).
     */
    private static List<Operation> sort(List<Operand> operands, List<Operation> operations) {
        int[] writer = new int[operands.size()];
        Arrays.fill(writer, -1);
        int[] readerCount = new int[operands.size() + 1];
        for (int i = 0; i < operations.size(); i++) {
            Operation operation = operations.get(i);
            for (int j = 0; j < operation.outputCount(); j++) {
                int index = operation.output(j);
                Lifetime lifetime = operands.get(index).lifetime();
                if (lifetime != Lifetime.TEMPORARY_VARIABLE && lifetime != Lifetime.SUBGRAPH_OUTPUT) {
                    throw bad(
                            operation,
                            i,
                            "output " + j + ": operand " + index + " is " + lifetime
                                    + " (expected: TEMPORARY_VARIABLE or SUBGRAPH_OUTPUT)");
                }
                if (writer[index] >= 0) {
                    throw bad(
                            operation,
                            i,
                            "output " + j + ": operand " + index + " is already written by operation " + writer[index]
                                    + " (expected: one writer)");
                }
                writer[index] = i;
            }
            for (int j = 0; j < operation.inputCount(); j++) {
                readerCount[operation.input(j) + 1]++;
            }
        }
        checkWritten(operands, operations, writer);
        return order(operands, operations, writer, readerCount);
    }

    private static void checkWritten(List<Operand> operands, List<Operation> operations, int[] writer) {
        for (int i = 0; i < operands.size(); i++) {
            if (writer[i] < 0 && operands.get(i).lifetime() == Lifetime.SUBGRAPH_OUTPUT) {
                throw new NnapiException(
                        ResultCode.BAD_DATA,
                        "operand " + i + ": model output written by no operation (expected: one writer)");
            }
        }
        for (int i = 0; i < operations.size(); i++) {
            Operation operation = operations.get(i);
            for (int j = 0; j < operation.inputCount(); j++) {
                int index = operation.input(j);
                if (writer[index] < 0 && operands.get(index).lifetime() == Lifetime.TEMPORARY_VARIABLE) {
                    throw bad(
                            operation,
                            i,
                            "input " + j + ": operand " + index + " is written by no operation (expected: one writer)");
                }
            }
        }
    }

    private static List<Operation> order(
            List<Operand> operands, List<Operation> operations, int[] writer, int[] readerStart) {
        for (int i = 0; i < operands.size(); i++) {
            readerStart[i + 1] += readerStart[i];
        }
        int[] readers = new int[readerStart[operands.size()]];
        int[] next = readerStart.clone();
        int[] waiting = new int[operations.size()];
        for (int i = 0; i < operations.size(); i++) {
            Operation operation = operations.get(i);
            for (int j = 0; j < operation.inputCount(); j++) {
                int index = operation.input(j);
                readers[next[index]++] = i;
                if (writer[index] >= 0) {
                    waiting[i]++;
                }
            }
        }
        PriorityQueue<Integer> ready = new PriorityQueue<>();
        for (int i = 0; i < operations.size(); i++) {
            if (waiting[i] == 0) {
                ready.add(i);
            }
        }
        List<Operation> sorted = new ArrayList<>(operations.size());
        while (!ready.isEmpty()) {
            Operation operation = operations.get(ready.poll());
            sorted.add(operation);
            for (int j = 0; j < operation.outputCount(); j++) {
                int index = operation.output(j);
                for (int k = readerStart[index]; k < readerStart[index + 1]; k++) {
                    if (--waiting[readers[k]] == 0) {
                        ready.add(readers[k]);
                    }
                }
            }
        }
        if (sorted.size() != operations.size()) {
            int stuck = 0;
            while (waiting[stuck] == 0) {
                stuck++;
            }
            throw bad(operations.get(stuck), stuck, "part of a cycle (expected: operations that can be ordered)");
        }
        return sorted;
    }

    private static NnapiException bad(Operation operation, int number, String problem) {
        return new NnapiException(ResultCode.BAD_DATA, "operation " + number + " " + operation.type() + ": " + problem);
    }
}
