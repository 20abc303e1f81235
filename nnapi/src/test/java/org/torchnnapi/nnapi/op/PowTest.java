package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.FeatureLevel.V1_2;
import static org.torchnnapi.nnapi.op.OperationTester.of;
import static org.torchnnapi.nnapi.op.OperationTester.shape;

import org.junit.jupiter.api.Test;
import org.torchnnapi.nnapi.model.OperationType;

class PowTest {
    @Test
    void broadcasts() {
        of(OperationType.POW)
                .floats(shape(3), 2, 9, 4)
                .floats(shape(2, 1), 2, 0.5f)
                .expectFloats(shape(2, 3), 4, 81, 16, 1.4142135f, 3, 2)
                .needs(V1_2)
                .runFloats();
    }
}
