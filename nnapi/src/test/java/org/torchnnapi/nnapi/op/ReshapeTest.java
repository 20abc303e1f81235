package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.FeatureLevel.V1_0;
import static org.torchnnapi.nnapi.op.OperationTester.of;
import static org.torchnnapi.nnapi.op.OperationTester.shape;

import org.junit.jupiter.api.Test;
import org.torchnnapi.nnapi.model.OperationType;

class ReshapeTest {
    @Test
    void stretches() {
        of(OperationType.RESHAPE)
                .floats(shape(2, 3), 1, 2, 3, 4, 5, 6)
                .ints(shape(2), 3, -1)
                .expectFloats(shape(3, 2), 1, 2, 3, 4, 5, 6)
                .needs(V1_0)
                .runFloats();
    }

    @Test
    void rejectsAnotherCount() {
        of(OperationType.RESHAPE)
                .floats(shape(2), 1, 2)
                .ints(shape(1), 3)
                .expectFloats(shape(3), 1, 2, 3)
                .illegal("elements of the shape: 3");
    }
}
