package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.FeatureLevel.V1_2;
import static org.torchnnapi.nnapi.op.OperationTester.of;
import static org.torchnnapi.nnapi.op.OperationTester.shape;

import org.junit.jupiter.api.Test;
import org.torchnnapi.nnapi.model.OperationType;

class LogSoftmaxTest {
    @Test
    void alongAnAxis() {
        of(OperationType.LOG_SOFTMAX)
                .floats(shape(1, 2), 0, 1.0986123f)
                .scalar(1f)
                .scalar(-1)
                .expectFloats(shape(1, 2), -1.3862944f, -0.28768207f)
                .needs(V1_2)
                .runFloats();
    }

    @Test
    void largeValuesDoNotOverflow() {
        of(OperationType.LOG_SOFTMAX)
                .floats(shape(2), 1000, 1000)
                .scalar(1f)
                .scalar(0)
                .expectFloats(shape(2), -0.6931472f, -0.6931472f)
                .runFloats();
    }
}
