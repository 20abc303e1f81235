package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.FeatureLevel.V1_2;
import static org.torchnnapi.nnapi.op.OperationTester.of;
import static org.torchnnapi.nnapi.op.OperationTester.shape;

import org.junit.jupiter.api.Test;
import org.torchnnapi.nnapi.model.OperationType;

class SliceTest {
    @Test
    void box() {
        of(OperationType.SLICE)
                .floats(shape(2, 3), 1, 2, 3, 4, 5, 6)
                .ints(shape(2), 1, 0)
                .ints(shape(2), 1, 2)
                .expectFloats(shape(1, 2), 4, 5)
                .needs(V1_2)
                .runFloats();
    }

    @Test
    void theRest() {
        of(OperationType.SLICE)
                .ints(shape(3), 1, 2, 3)
                .ints(shape(1), 1)
                .ints(shape(1), -1)
                .expectInts(shape(2), 2, 3)
                .run();
    }

    @Test
    void rejectsASizePastTheEnd() {
        of(OperationType.SLICE)
                .ints(shape(3), 1, 2, 3)
                .ints(shape(1), 1)
                .ints(shape(1), 3)
                .expectInts(shape(3), 2, 3, 0)
                .illegal("size[0]: 3 (expected: -1 to 2)");
    }
}
