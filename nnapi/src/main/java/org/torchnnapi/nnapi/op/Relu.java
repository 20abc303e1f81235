package org.torchnnapi.nnapi.op;

import org.torchnnapi.nnapi.model.OperationType;

/** {@code max(0, x)} of each element. */
final class Relu extends Rectifier {
    Relu() {
        super(OperationType.RELU, FusedActivation.RELU);
    }
}
