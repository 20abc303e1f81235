package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.FeatureLevel.V1_3;
import static org.torchnnapi.nnapi.op.OperationTester.of;
import static org.torchnnapi.nnapi.op.OperationTester.shape;

import org.junit.jupiter.api.Test;
import org.torchnnapi.nnapi.model.OperationType;

class FillTest {
    @Test
    void floats() {
        of(OperationType.FILL)
                .ints(shape(2), 2, 2)
                .scalar(1.5f)
                .expectFloats(shape(2, 2), 1.5f, 1.5f, 1.5f, 1.5f)
                .needs(V1_3)
                .runFloats();
    }

    @Test
    void integers() {
        of(OperationType.FILL)
                .ints(shape(1), 2)
                .scalar(7)
                .expectInts(shape(2), 7, 7)
                .run();
    }

    @Test
    void rejectsANegativeSize() {
        of(OperationType.FILL)
                .ints(shape(1), -2)
                .scalar(7)
                .expectInts(shape(2), 7, 7)
                .illegal("shape[0]: -2 (expected: >= 0)");
    }
}
