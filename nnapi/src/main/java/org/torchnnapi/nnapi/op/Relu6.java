package org.torchnnapi.nnapi.op;

import org.torchnnapi.nnapi.model.OperationType;

/** {@code min(6, max(0, x))} of each element. */
final class Relu6 extends Rectifier {
    Relu6() {
        super(OperationType.RELU6, FusedActivation.RELU6);
    }
}
