package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.FeatureLevel.V1_1;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_INT32;
import static org.torchnnapi.nnapi.op.OperationTester.of;
import static org.torchnnapi.nnapi.op.OperationTester.shape;

import org.junit.jupiter.api.Test;
import org.torchnnapi.nnapi.model.OperationType;

class TransposeTest {
    @Test
    void permutes() {
        of(OperationType.TRANSPOSE)
                .floats(shape(1, 2, 3), 1, 2, 3, 4, 5, 6)
                .ints(shape(3), 2, 0, 1)
                .expectFloats(shape(3, 1, 2), 1, 4, 2, 5, 3, 6)
                .needs(V1_1)
                .runFloats();
    }

    @Test
    void reversesWithoutAPermutation() {
        of(OperationType.TRANSPOSE)
                .floats(shape(2, 3), 1, 2, 3, 4, 5, 6)
                .omitted(TENSOR_INT32)
                .expectFloats(shape(3, 2), 1, 4, 2, 5, 3, 6)
                .run();
    }

    @Test
    void rejectsAnAxisNamedTwice() {
        of(OperationType.TRANSPOSE)
                .floats(shape(1, 1), 1)
                .ints(shape(2), 1, 1)
                .expectFloats(shape(1, 1), 1)
                .illegal("perm: [1, 1]");
    }
}
