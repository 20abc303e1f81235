package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.FeatureLevel.V1_0;
import static org.torchnnapi.nnapi.op.OperationTester.of;
import static org.torchnnapi.nnapi.op.OperationTester.shape;

import org.junit.jupiter.api.Test;
import org.torchnnapi.nnapi.model.OperationType;

class LocalResponseNormalizationTest {
    @Test
    void neighboursWithinTheRadius() {
        of(OperationType.LOCAL_RESPONSE_NORMALIZATION)
                .floats(shape(1, 1, 1, 3), 1, 2, 3)
                .scalar(1)
                .scalar(1f)
                .scalar(1f)
                .scalar(0.5f)
                .expectFloats(shape(1, 1, 1, 3), 0.4082483f, 0.5163978f, 0.8017837f)
                .needs(V1_0)
                .runFloats();
    }

    @Test
    void rejectsANegativeRadius() {
        of(OperationType.LOCAL_RESPONSE_NORMALIZATION)
                .floats(shape(1, 1, 1, 1), 1)
                .scalar(-1)
                .scalar(1f)
                .scalar(1f)
                .scalar(0.5f)
                .expectFloats(shape(1, 1, 1, 1), 1)
                .illegal("-1 (expected:");
    }
}
