package org.torchnnapi.nnapi.op;

import org.torchnnapi.nnapi.model.OperationType;

/** The larger of two elements, of two tensors that broadcast. */
final class Maximum extends Extremum {
    Maximum() {
        super(OperationType.MAXIMUM, Math::max, Math::max);
    }
}
