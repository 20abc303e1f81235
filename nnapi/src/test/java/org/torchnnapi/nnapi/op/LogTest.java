package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.FeatureLevel.V1_2;
import static org.torchnnapi.nnapi.op.OperationTester.of;
import static org.torchnnapi.nnapi.op.OperationTester.shape;

import org.junit.jupiter.api.Test;
import org.torchnnapi.nnapi.model.OperationType;

class LogTest {
    @Test
    void floats() {
        of(OperationType.LOG)
                .floats(shape(3), 1, 2.7182818f, 0.5f)
                .expectFloats(shape(3), 0, 1, -0.6931472f)
                .needs(V1_2)
                .runFloats();
    }

    @Test
    void rejectsIntegers() {
        of(OperationType.LOG).ints(shape(1), 1).expectInts(shape(1), 1).illegal("TENSOR_INT32");
    }
}
