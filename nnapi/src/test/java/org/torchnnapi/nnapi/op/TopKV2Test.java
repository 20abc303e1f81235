package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.FeatureLevel.V1_2;
import static org.torchnnapi.nnapi.op.OperationTester.of;
import static org.torchnnapi.nnapi.op.OperationTester.shape;

import org.junit.jupiter.api.Test;
import org.torchnnapi.nnapi.model.OperationType;

class TopKV2Test {
    @Test
    void largestFirst() {
        of(OperationType.TOPK_V2)
                .floats(shape(2, 3), 1, 3, 3, -5, -4, -6)
                .scalar(2)
                .expectFloats(shape(2, 2), 3, 3, -4, -5)
                .expectInts(shape(2, 2), 1, 2, 1, 0)
                .needs(V1_2)
                .runFloats();
    }

    @Test
    void rejectsMoreThanThereAre() {
        of(OperationType.TOPK_V2)
                .ints(shape(2), 1, 2)
                .scalar(3)
                .expectInts(shape(3), 2, 1, 0)
                .expectInts(shape(3), 1, 0, 0)
                .illegal("k: 3 (expected: 1 to 2)");
    }
}
