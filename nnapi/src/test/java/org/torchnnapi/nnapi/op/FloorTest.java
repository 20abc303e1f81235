package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.FeatureLevel.V1_0;
import static org.torchnnapi.nnapi.op.OperationTester.of;
import static org.torchnnapi.nnapi.op.OperationTester.shape;

import org.junit.jupiter.api.Test;
import org.torchnnapi.nnapi.model.OperationType;

class FloorTest {
    @Test
    void floats() {
        of(OperationType.FLOOR)
                .floats(shape(4), -1.5f, 1.5f, 2, -0.25f)
                .expectFloats(shape(4), -2, 1, 2, -1)
                .needs(V1_0)
                .runFloats();
    }

    @Test
    void rejectsRank5() {
        of(OperationType.FLOOR)
                .floats(shape(1, 1, 1, 1, 1), 1)
                .expectFloats(shape(1, 1, 1, 1, 1), 1)
                .illegal("rank of input 0 (input): 5 (expected: 1 to 4)");
    }
}
