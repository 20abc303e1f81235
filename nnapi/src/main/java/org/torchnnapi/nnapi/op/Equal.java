package org.torchnnapi.nnapi.op;

import org.torchnnapi.nnapi.model.OperationType;

/** Where the first tensor's element equals the second's. */
final class Equal extends Comparison {
    Equal() {
        super(OperationType.EQUAL);
    }

    @Override
    boolean holds(double a, double b) {
        return a == b;
    }
}
