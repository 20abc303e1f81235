package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.FeatureLevel.V1_0;
import static org.torchnnapi.nnapi.model.FeatureLevel.V1_2;
import static org.torchnnapi.nnapi.op.OperationTester.of;
import static org.torchnnapi.nnapi.op.OperationTester.shape;

import org.junit.jupiter.api.Test;
import org.torchnnapi.nnapi.model.OperationType;

class DepthToSpaceTest {
    @Test
    void nhwc() {
        of(OperationType.DEPTH_TO_SPACE)
                .floats(shape(1, 1, 2, 4), 1, 2, 3, 4, 5, 6, 7, 8)
                .scalar(2)
                .expectFloats(shape(1, 2, 4, 1), 1, 2, 5, 6, 3, 4, 7, 8)
                .needs(V1_0)
                .runFloats();
    }

    @Test
    void nchw() {
        of(OperationType.DEPTH_TO_SPACE)
                .floats(shape(1, 4, 1, 2), 1, 5, 2, 6, 3, 7, 4, 8)
                .scalar(2)
                .scalar(true)
                .expectFloats(shape(1, 1, 2, 4), 1, 2, 5, 6, 3, 4, 7, 8)
                .needs(V1_2)
                .runFloats();
    }

    @Test
    void rejectsChannelsThatDoNotDivide() {
        of(OperationType.DEPTH_TO_SPACE)
                .floats(shape(1, 1, 1, 3), 1, 2, 3)
                .scalar(2)
                .expectFloats(shape(1, 2, 2, 1), 0, 0, 0, 0)
                .illegal("channels: 3");
    }
}
