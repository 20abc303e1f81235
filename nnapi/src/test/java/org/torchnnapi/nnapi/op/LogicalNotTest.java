package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.FeatureLevel.V1_2;
import static org.torchnnapi.nnapi.op.OperationTester.of;
import static org.torchnnapi.nnapi.op.OperationTester.shape;

import org.junit.jupiter.api.Test;
import org.torchnnapi.nnapi.model.OperationType;

class LogicalNotTest {
    @Test
    void truthValues() {
        of(OperationType.LOGICAL_NOT)
                .bools(shape(3), 0, 1, 1)
                .expectBools(shape(3), 1, 0, 0)
                .needs(V1_2)
                .run();
    }
}
