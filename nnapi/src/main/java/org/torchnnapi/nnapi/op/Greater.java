package org.torchnnapi.nnapi.op;

import org.torchnnapi.nnapi.model.OperationType;

/** Where the first tensor's element is greater than the second's. */
final class Greater extends Comparison {
    Greater() {
        super(OperationType.GREATER);
    }

    @Override
    boolean holds(double a, double b) {
        return a > b;
    }
}
