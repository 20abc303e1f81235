package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.op.OperationTester.of;
import static org.torchnnapi.nnapi.op.OperationTester.shape;

import org.junit.jupiter.api.Test;
import org.torchnnapi.nnapi.model.OperationType;

class SpaceToDepthTest {
    @Test
    void nhwc() {
        of(OperationType.SPACE_TO_DEPTH)
                .floats(shape(1, 2, 4, 1), 1, 2, 5, 6, 3, 4, 7, 8)
                .scalar(2)
                .expectFloats(shape(1, 1, 2, 4), 1, 2, 3, 4, 5, 6, 7, 8)
                .runFloats();
    }

    @Test
    void nchw() {
        of(OperationType.SPACE_TO_DEPTH)
                .floats(shape(1, 1, 2, 4), 1, 2, 5, 6, 3, 4, 7, 8)
                .scalar(2)
                .scalar(true)
                .expectFloats(shape(1, 4, 1, 2), 1, 5, 2, 6, 3, 7, 4, 8)
                .runFloats();
    }

    @Test
    void rejectsABlockOfZero() {
        of(OperationType.SPACE_TO_DEPTH)
                .floats(shape(1, 1, 1, 1), 1)
                .scalar(0)
                .expectFloats(shape(1, 1, 1, 1), 1)
                .illegal("0 (expected: >= 1)");
    }
}
