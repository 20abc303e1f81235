package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.FeatureLevel.V1_0;
import static org.torchnnapi.nnapi.model.FeatureLevel.V1_2;
import static org.torchnnapi.nnapi.op.OperationTester.of;
import static org.torchnnapi.nnapi.op.OperationTester.shape;

import org.junit.jupiter.api.Test;
import org.torchnnapi.nnapi.model.OperationType;

class SoftmaxTest {
    @Test
    void lastAxis() {
        of(OperationType.SOFTMAX)
                .floats(shape(1, 2), 0, 1.0986123f)
                .scalar(1f)
                .expectFloats(shape(1, 2), 0.25f, 0.75f)
                .needs(V1_0)
                .runFloats();
    }

    @Test
    void anyAxis() {
        of(OperationType.SOFTMAX)
                .floats(shape(2, 1), 0, 1.0986123f)
                .scalar(1f)
                .scalar(0)
                .expectFloats(shape(2, 1), 0.25f, 0.75f)
                .needs(V1_2)
                .runFloats();
    }

    @Test
    void largeValuesDoNotOverflow() {
        of(OperationType.SOFTMAX)
                .floats(shape(1, 2), 1000, 1000)
                .scalar(1f)
                .expectFloats(shape(1, 2), 0.5f, 0.5f)
                .runFloats();
    }

    @Test
    void rejectsABetaOfZero() {
        of(OperationType.SOFTMAX)
                .floats(shape(1, 1), 1)
                .scalar(0f)
                .expectFloats(shape(1, 1), 1)
                .illegal("beta: 0.0 (expected: > 0)");
    }
}
