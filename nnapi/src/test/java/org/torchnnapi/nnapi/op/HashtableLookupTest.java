package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.op.OperationTester.of;
import static org.torchnnapi.nnapi.op.OperationTester.shape;

import org.junit.jupiter.api.Test;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.OperationType;

class HashtableLookupTest {
    @Test
    void findsTheSlicesOfKnownKeys() {
        of(OperationType.HASHTABLE_LOOKUP)
                .ints(shape(3), 7, 9, 5)
                .ints(shape(2), 5, 7)
                .floats(shape(2, 2), 1, 2, 3, 4)
                .expectFloats(shape(3, 2), 3, 4, 0, 0, 1, 2)
                .expectQuantized(OperandType.TENSOR_QUANT8_ASYMM, 1, 0, shape(3), 1, 0, 1)
                .run();
    }

    @Test
    void refusesKeysThatAreNotOneAValue() {
        of(OperationType.HASHTABLE_LOOKUP)
                .ints(shape(1), 7)
                .ints(shape(3), 5, 6, 7)
                .floats(shape(2, 1), 1, 2)
                .expectFloats(shape(1, 1), 3)
                .expectQuantized(OperandType.TENSOR_QUANT8_ASYMM, 1, 0, shape(1), 1)
                .illegal("keys: 3");
    }
}
