package org.torchnnapi.nnapi.op;

import org.torchnnapi.nnapi.model.OperationType;

/** Where the first tensor's element is not above the second's. */
final class LessEqual extends Comparison {
    LessEqual() {
        super(OperationType.LESS_EQUAL);
    }

    @Override
    boolean holds(double a, double b) {
        return a <= b;
    }
}
