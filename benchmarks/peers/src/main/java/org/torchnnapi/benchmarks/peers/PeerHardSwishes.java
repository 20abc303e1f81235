package org.torchnnapi.benchmarks.peers;

import java.nio.ByteOrder;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.torchnnapi.nnapi.model.Model;
import org.torchnnapi.nnapi.model.Operand;
import org.torchnnapi.nnapi.model.Operation;
import org.torchnnapi.nnapi.model.OperationType;

/**
 * Finds {@code x * (relu6(x + 3) / 6)}, which other engines have an operator for, among the operations of a float
 * model.
 */
final class PeerHardSwishes {
    private static final float TOLERANCE = 1e-6f;

    private final Model model;
    private final Map<Integer, Operation> producers = new HashMap<>();
    private final Map<Integer, Integer> users = new HashMap<>();
    private final Map<Operation, Integer> arguments = new HashMap<>();
    private final Set<Operation> inner = new HashSet<>();

    PeerHardSwishes(Model model) {
        this.model = model;
        for (Operation operation : model.operations()) {
            producers.put(operation.output(0), operation);
            for (int input : operation.inputs()) {
                users.merge(input, 1, Integer::sum);
            }
        }
        model.operations().forEach(this::match);
    }

    /** The last multiplication of each, and the operand that is x. */
    Map<Operation, Integer> arguments() {
        return arguments;
    }

    /** Whether an operation only served one of them. */
    boolean isInner(Operation operation) {
        return inner.contains(operation);
    }

    private void match(Operation last) {
        if (last.type() != OperationType.MUL) {
            return;
        }
        for (int i = 0; i < 2; i++) {
            int x = last.input(i);
            Operation sixth = producer(last.input(1 - i), OperationType.MUL);
            Operation relu6 = sixth == null || !isConstant(sixth.input(1), 1f / 6)
                    ? null
                    : producer(sixth.input(0), OperationType.RELU6);
            Operation add = relu6 == null ? null : producer(relu6.input(0), OperationType.ADD);
            if (add != null && add.input(0) == x && isConstant(add.input(1), 3)) {
                arguments.put(last, x);
                inner.addAll(Set.of(sixth, relu6, add));
            }
        }
    }

    /** What computes a value that has one user only; null where that is no operation of the type. */
    private Operation producer(int operand, OperationType type) {
        Operation producer = producers.get(operand);
        return producer != null && producer.type() == type && users.get(operand) == 1 ? producer : null;
    }

    private boolean isConstant(int index, float expected) {
        Operand operand = model.operand(index);
        return operand.value() != null
                && operand.value().remaining() == Float.BYTES
                && Math.abs(operand.value()
                                        .duplicate()
                                        .order(ByteOrder.LITTLE_ENDIAN)
                                        .getFloat(0)
                                - expected)
                        <= TOLERANCE;
    }
}
