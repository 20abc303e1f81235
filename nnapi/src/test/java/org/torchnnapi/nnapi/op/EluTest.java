package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.FeatureLevel.V1_3;
import static org.torchnnapi.nnapi.op.OperationTester.of;
import static org.torchnnapi.nnapi.op.OperationTester.shape;

import org.junit.jupiter.api.Test;
import org.torchnnapi.nnapi.model.OperationType;

class EluTest {
    @Test
    void floats() {
        of(OperationType.ELU)
                .floats(shape(3), -1, 0, 2)
                .scalar(2f)
                .expectFloats(shape(3), -1.2642411f, 0, 2)
                .needs(V1_3)
                .runFloats();
    }

    @Test
    void rejectsMissingAlpha() {
        of(OperationType.ELU).floats(shape(1), 1).expectFloats(shape(1), 1).illegal("ELU");
    }
}
