package org.torchnnapi.nnapi.op;

import org.torchnnapi.nnapi.model.OperationType;

/** The smaller of two elements, of two tensors that broadcast. */
final class Minimum extends Extremum {
    Minimum() {
        super(OperationType.MINIMUM, Math::min, Math::min);
    }
}
