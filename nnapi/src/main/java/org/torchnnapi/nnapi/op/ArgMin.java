package org.torchnnapi.nnapi.op;

import org.torchnnapi.nnapi.model.OperationType;

/** The index of the smallest element along one axis. */
final class ArgMin extends ArgExtreme {
    ArgMin() {
        super(OperationType.ARGMIN);
    }

    @Override
    boolean isBetter(double candidate, double best) {
        return candidate < best;
    }
}
