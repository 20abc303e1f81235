package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.FeatureLevel.V1_2;
import static org.torchnnapi.nnapi.op.OperationTester.of;
import static org.torchnnapi.nnapi.op.OperationTester.shape;

import org.junit.jupiter.api.Test;
import org.torchnnapi.nnapi.model.OperationType;

class ExpTest {
    @Test
    void floats() {
        of(OperationType.EXP)
                .floats(shape(3), 0, 1, -1)
                .expectFloats(shape(3), 1, 2.7182818f, 0.36787944f)
                .needs(V1_2)
                .runFloats();
    }

    @Test
    void rejectsIntegers() {
        of(OperationType.EXP).ints(shape(1), 1).expectInts(shape(1), 1).illegal("TENSOR_INT32");
    }
}
