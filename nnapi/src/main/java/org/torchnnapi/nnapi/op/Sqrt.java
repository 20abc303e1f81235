package org.torchnnapi.nnapi.op;

import org.torchnnapi.nnapi.model.OperationType;

/** The square root of each element. */
final class Sqrt extends ElementwiseUnary {
    Sqrt() {
        super(OperationType.SQRT, floatsSince12());
    }

    @Override
    double apply(double x) {
        return StrictMath.sqrt(x);
    }
}
