package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.FeatureLevel.V1_2;
import static org.torchnnapi.nnapi.op.OperationTester.of;
import static org.torchnnapi.nnapi.op.OperationTester.shape;

import org.junit.jupiter.api.Test;
import org.torchnnapi.nnapi.model.OperationType;

class SqrtTest {
    @Test
    void floats() {
        of(OperationType.SQRT)
                .floats(shape(3), 0, 2.25f, 9)
                .expectFloats(shape(3), 0, 1.5f, 3)
                .needs(V1_2)
                .runFloats();
    }

    @Test
    void rejectsIntegers() {
        of(OperationType.SQRT).ints(shape(1), 1).expectInts(shape(1), 1).illegal("TENSOR_INT32");
    }
}
