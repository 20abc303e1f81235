package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.op.OperationTester.of;
import static org.torchnnapi.nnapi.op.OperationTester.shape;

import org.junit.jupiter.api.Test;
import org.torchnnapi.nnapi.model.OperationType;

class ReduceAllTest {
    @Test
    void alongAnAxis() {
        of(OperationType.REDUCE_ALL)
                .bools(shape(3, 2), 1, 1, 1, 0, 0, 0)
                .ints(shape(1), 1)
                .scalar(false)
                .expectBools(shape(3), 1, 0, 0)
                .run();
    }
}
