package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.FeatureLevel.V1_2;
import static org.torchnnapi.nnapi.op.OperationTester.of;
import static org.torchnnapi.nnapi.op.OperationTester.shape;

import org.junit.jupiter.api.Test;
import org.torchnnapi.nnapi.model.OperationType;

class ArgMaxTest {
    @Test
    void alongAnAxis() {
        of(OperationType.ARGMAX)
                .floats(shape(2, 3), 1, 5, 5, 7, 2, 3)
                .scalar(1)
                .expectInts(shape(2), 1, 0)
                .needs(V1_2)
                .runFloats();
    }

    @Test
    void integersBeyondFloat() {
        of(OperationType.ARGMAX)
                .ints(shape(2, 2), 16777216, 16777217, 5, 4)
                .scalar(-1)
                .expectInts(shape(2), 1, 0)
                .run();
    }

    @Test
    void rejectsAnAxisOutOfRange() {
        of(OperationType.ARGMAX)
                .floats(shape(2), 1, 2)
                .scalar(1)
                .expectInts(shape(1), 1)
                .illegal("1 (expected: -1 to 0)");
    }
}
