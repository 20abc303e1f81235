package org.torchnnapi.nnapi.op;

import org.torchnnapi.nnapi.model.OperationType;

/** {@code e} to the power of each element. */
final class Exp extends ElementwiseUnary {
    Exp() {
        super(OperationType.EXP, floatsSince12());
    }

    @Override
    double apply(double x) {
        return StrictMath.exp(x);
    }
}
