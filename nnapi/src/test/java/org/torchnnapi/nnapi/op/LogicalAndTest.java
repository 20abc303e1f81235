package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.FeatureLevel.V1_2;
import static org.torchnnapi.nnapi.op.OperationTester.of;
import static org.torchnnapi.nnapi.op.OperationTester.shape;

import org.junit.jupiter.api.Test;
import org.torchnnapi.nnapi.model.OperationType;

class LogicalAndTest {
    @Test
    void broadcasts() {
        of(OperationType.LOGICAL_AND)
                .bools(shape(2, 2), 0, 1, 1, 0)
                .bools(shape(2), 1, 0)
                .expectBools(shape(2, 2), 0, 0, 1, 0)
                .needs(V1_2)
                .run();
    }
}
