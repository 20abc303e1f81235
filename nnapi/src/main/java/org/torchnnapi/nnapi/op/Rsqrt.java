package org.torchnnapi.nnapi.op;

import org.torchnnapi.nnapi.model.OperationType;

/** One over the square root of each element. */
final class Rsqrt extends ElementwiseUnary {
    Rsqrt() {
        super(OperationType.RSQRT, floatsSince12());
    }

    @Override
    double apply(double x) {
        return 1 / StrictMath.sqrt(x);
    }
}
