package org.torchnnapi.nnapi.op;

import org.torchnnapi.nnapi.model.OperationType;

/** Where the first tensor's element is less than the second's. */
final class Less extends Comparison {
    Less() {
        super(OperationType.LESS);
    }

    @Override
    boolean holds(double a, double b) {
        return a < b;
    }
}
