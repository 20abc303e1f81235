package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.FeatureLevel.V1_2;
import static org.torchnnapi.nnapi.op.OperationTester.of;
import static org.torchnnapi.nnapi.op.OperationTester.shape;

import org.junit.jupiter.api.Test;
import org.torchnnapi.nnapi.model.OperationType;

class SplitTest {
    @Test
    void alongAnAxis() {
        of(OperationType.SPLIT)
                .floats(shape(2, 2), 1, 2, 3, 4)
                .scalars(1, 2)
                .expectFloats(shape(2, 1), 1, 3)
                .expectFloats(shape(2, 1), 2, 4)
                .needs(V1_2)
                .runFloats();
    }

    @Test
    void fromTheEnd() {
        of(OperationType.SPLIT)
                .ints(shape(3), 1, 2, 3)
                .scalars(-1, 3)
                .expectInts(shape(1), 1)
                .expectInts(shape(1), 2)
                .expectInts(shape(1), 3)
                .run();
    }

    @Test
    void rejectsAnotherNumberOfOutputs() {
        of(OperationType.SPLIT)
                .ints(shape(2), 1, 2)
                .scalars(0, 1)
                .expectInts(shape(1), 1)
                .expectInts(shape(1), 2)
                .illegal("1 (expected:");
    }

    @Test
    void rejectsASizeThatDoesNotDivide() {
        of(OperationType.SPLIT)
                .ints(shape(3), 1, 2, 3)
                .scalars(0, 2)
                .expectInts(shape(1), 1)
                .expectInts(shape(1), 2)
                .illegal("size of axis 0: 3");
    }
}
