package org.torchnnapi.nnapi.op;

import org.torchnnapi.nnapi.model.OperationType;

/** The index of the largest element along one axis. */
final class ArgMax extends ArgExtreme {
    ArgMax() {
        super(OperationType.ARGMAX);
    }

    @Override
    boolean isBetter(double candidate, double best) {
        return candidate > best;
    }
}
