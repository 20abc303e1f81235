package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.FeatureLevel.V1_1;
import static org.torchnnapi.nnapi.model.FeatureLevel.V1_2;
import static org.torchnnapi.nnapi.op.OperationTester.of;
import static org.torchnnapi.nnapi.op.OperationTester.shape;

import org.junit.jupiter.api.Test;
import org.torchnnapi.nnapi.model.OperationType;

class BatchToSpaceNdTest {
    @Test
    void nhwc() {
        of(OperationType.BATCH_TO_SPACE_ND)
                .floats(shape(4, 1, 1, 1), 1, 2, 3, 4)
                .ints(shape(2), 2, 2)
                .expectFloats(shape(1, 2, 2, 1), 1, 2, 3, 4)
                .needs(V1_1)
                .runFloats();
    }

    @Test
    void nchw() {
        of(OperationType.BATCH_TO_SPACE_ND)
                .floats(shape(2, 2, 1, 1), 1, 2, 3, 4)
                .ints(shape(2), 1, 2)
                .scalar(true)
                .expectFloats(shape(1, 2, 1, 2), 1, 3, 2, 4)
                .needs(V1_2)
                .runFloats();
    }

    @Test
    void rejectsBatchesThatDoNotDivide() {
        of(OperationType.BATCH_TO_SPACE_ND)
                .floats(shape(3, 1, 1, 1), 1, 2, 3)
                .ints(shape(2), 2, 1)
                .expectFloats(shape(1, 2, 1, 1), 1, 2)
                .illegal("batches: 3");
    }
}
