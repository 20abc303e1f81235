package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.FeatureLevel.V1_2;
import static org.torchnnapi.nnapi.op.OperationTester.of;
import static org.torchnnapi.nnapi.op.OperationTester.shape;

import org.junit.jupiter.api.Test;
import org.torchnnapi.nnapi.model.OperationType;

class SinTest {
    @Test
    void floats() {
        of(OperationType.SIN)
                .floats(shape(3), 0, 1.5707964f, -1.5707964f)
                .expectFloats(shape(3), 0, 1, -1)
                .needs(V1_2)
                .runFloats();
    }

    @Test
    void rejectsIntegers() {
        of(OperationType.SIN).ints(shape(1), 1).expectInts(shape(1), 1).illegal("TENSOR_INT32");
    }
}
