package org.torchnnapi.nnapi.op;

import org.torchnnapi.nnapi.model.OperationType;

/** Where the first tensor's element differs from the second's. */
final class NotEqual extends Comparison {
    NotEqual() {
        super(OperationType.NOT_EQUAL);
    }

    @Override
    boolean holds(double a, double b) {
        return a != b;
    }
}
