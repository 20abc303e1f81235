package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.FeatureLevel.V1_2;
import static org.torchnnapi.nnapi.op.OperationTester.of;
import static org.torchnnapi.nnapi.op.OperationTester.shape;

import org.junit.jupiter.api.Test;
import org.torchnnapi.nnapi.model.OperationType;

class NegTest {
    @Test
    void floats() {
        of(OperationType.NEG)
                .floats(shape(3), -1.5f, 3, 2)
                .expectFloats(shape(3), 1.5f, -3, -2)
                .runFloats();
    }

    @Test
    void integers() {
        of(OperationType.NEG)
                .ints(shape(3), -5, 0, 5)
                .expectInts(shape(3), 5, 0, -5)
                .needs(V1_2)
                .run();
    }
}
