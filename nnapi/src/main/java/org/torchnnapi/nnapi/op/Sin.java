package org.torchnnapi.nnapi.op;

import org.torchnnapi.nnapi.model.OperationType;

/** The sine of each element, in radians. */
final class Sin extends ElementwiseUnary {
    Sin() {
        super(OperationType.SIN, floatsSince12());
    }

    @Override
    double apply(double x) {
        return StrictMath.sin(x);
    }
}
