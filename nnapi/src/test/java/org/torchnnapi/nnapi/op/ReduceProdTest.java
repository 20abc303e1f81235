package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.op.OperationTester.of;
import static org.torchnnapi.nnapi.op.OperationTester.shape;

import org.junit.jupiter.api.Test;
import org.torchnnapi.nnapi.model.OperationType;

class ReduceProdTest {
    @Test
    void alongAnAxis() {
        of(OperationType.REDUCE_PROD)
                .floats(shape(2, 3), 1, 2, 3, 4, 5, 6)
                .ints(shape(1), -1)
                .scalar(false)
                .expectFloats(shape(2), 6, 120)
                .runFloats();
    }
}
