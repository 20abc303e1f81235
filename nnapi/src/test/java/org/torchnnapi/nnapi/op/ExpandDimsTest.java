package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.FeatureLevel.V1_2;
import static org.torchnnapi.nnapi.op.OperationTester.of;
import static org.torchnnapi.nnapi.op.OperationTester.shape;

import org.junit.jupiter.api.Test;
import org.torchnnapi.nnapi.model.OperationType;

class ExpandDimsTest {
    @Test
    void fromTheStart() {
        of(OperationType.EXPAND_DIMS)
                .floats(shape(2), 1, 2)
                .scalar(0)
                .expectFloats(shape(1, 2), 1, 2)
                .needs(V1_2)
                .runFloats();
    }

    @Test
    void fromTheEnd() {
        of(OperationType.EXPAND_DIMS)
                .ints(shape(2), 1, 2)
                .scalar(-1)
                .expectInts(shape(2, 1), 1, 2)
                .run();
    }

    @Test
    void rejectsAnAxisOutOfRange() {
        of(OperationType.EXPAND_DIMS)
                .floats(shape(2), 1, 2)
                .scalar(2)
                .expectFloats(shape(2, 1), 1, 2)
                .illegal("2 (expected: -2 to 1)");
    }
}
