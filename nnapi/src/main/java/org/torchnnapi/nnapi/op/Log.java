package org.torchnnapi.nnapi.op;

import org.torchnnapi.nnapi.model.OperationType;

/** The natural logarithm of each element. */
final class Log extends ElementwiseUnary {
    Log() {
        super(OperationType.LOG, floatsSince12());
    }

    @Override
    double apply(double x) {
        return StrictMath.log(x);
    }
}
