package org.torchnnapi.nnapi.op;

import org.torchnnapi.nnapi.model.OperationType;

/** {@code min(1, max(-1, x))} of each element. */
final class Relu1 extends Rectifier {
    Relu1() {
        super(OperationType.RELU1, FusedActivation.RELU1);
    }
}
