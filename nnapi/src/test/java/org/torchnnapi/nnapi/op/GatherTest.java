package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.FeatureLevel.V1_2;
import static org.torchnnapi.nnapi.op.OperationTester.of;
import static org.torchnnapi.nnapi.op.OperationTester.shape;

import org.junit.jupiter.api.Test;
import org.torchnnapi.nnapi.model.OperationType;

class GatherTest {
    @Test
    void alongAnAxis() {
        of(OperationType.GATHER)
                .floats(shape(2, 3), 1, 2, 3, 4, 5, 6)
                .scalar(1)
                .ints(shape(2), 2, 0)
                .expectFloats(shape(2, 2), 3, 1, 6, 4)
                .needs(V1_2)
                .runFloats();
    }

    @Test
    void indicesOfAHigherRank() {
        of(OperationType.GATHER)
                .ints(shape(3), 10, 20, 30)
                .scalar(-1)
                .ints(shape(2, 2), 0, 1, 2, 1)
                .expectInts(shape(2, 2), 10, 20, 30, 20)
                .run();
    }

    @Test
    void rejectsAnIndexOutOfRange() {
        of(OperationType.GATHER)
                .floats(shape(2), 1, 2)
                .scalar(0)
                .ints(shape(1), 2)
                .expectFloats(shape(1), 0)
                .illegal("index: 2 (expected: 0 to 1)");
    }
}
