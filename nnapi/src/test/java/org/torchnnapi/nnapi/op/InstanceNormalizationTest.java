package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.FeatureLevel.V1_2;
import static org.torchnnapi.nnapi.op.OperationTester.of;
import static org.torchnnapi.nnapi.op.OperationTester.shape;

import org.junit.jupiter.api.Test;
import org.torchnnapi.nnapi.model.OperationType;

class InstanceNormalizationTest {
    @Test
    void nhwc() {
        of(OperationType.INSTANCE_NORMALIZATION)
                .floats(shape(1, 1, 2, 2), 1, 10, 3, 20)
                .scalar(2f)
                .scalar(1f)
                .scalar(0f)
                .scalar(false)
                .expectFloats(shape(1, 1, 2, 2), -1, -1, 3, 3)
                .needs(V1_2)
                .runFloats();
    }

    @Test
    void nchw() {
        of(OperationType.INSTANCE_NORMALIZATION)
                .floats(shape(1, 2, 1, 2), 1, 3, 10, 20)
                .scalar(2f)
                .scalar(1f)
                .scalar(0f)
                .scalar(true)
                .expectFloats(shape(1, 2, 1, 2), -1, 3, -1, 3)
                .runFloats();
    }
}
