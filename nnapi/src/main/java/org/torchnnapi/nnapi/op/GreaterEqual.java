package org.torchnnapi.nnapi.op;

import org.torchnnapi.nnapi.model.OperationType;

/** Where the first tensor's element is not below the second's. */
final class GreaterEqual extends Comparison {
    GreaterEqual() {
        super(OperationType.GREATER_EQUAL);
    }

    @Override
    boolean holds(double a, double b) {
        return a >= b;
    }
}
