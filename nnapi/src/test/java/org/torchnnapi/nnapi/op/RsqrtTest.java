package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.FeatureLevel.V1_2;
import static org.torchnnapi.nnapi.op.OperationTester.of;
import static org.torchnnapi.nnapi.op.OperationTester.shape;

import org.junit.jupiter.api.Test;
import org.torchnnapi.nnapi.model.OperationType;

class RsqrtTest {
    @Test
    void floats() {
        of(OperationType.RSQRT)
                .floats(shape(3), 4, 0.25f, 1)
                .expectFloats(shape(3), 0.5f, 2, 1)
                .needs(V1_2)
                .runFloats();
    }

    @Test
    void rejectsIntegers() {
        of(OperationType.RSQRT).ints(shape(1), 1).expectInts(shape(1), 1).illegal("TENSOR_INT32");
    }
}
