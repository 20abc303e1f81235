package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.FeatureLevel.V1_1;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_INT32;
import static org.torchnnapi.nnapi.op.OperationTester.of;
import static org.torchnnapi.nnapi.op.OperationTester.shape;

import org.junit.jupiter.api.Test;
import org.torchnnapi.nnapi.model.OperationType;

class SqueezeTest {
    @Test
    void namedAxes() {
        of(OperationType.SQUEEZE)
                .floats(shape(1, 2, 1), 1, 2)
                .ints(shape(1), -1)
                .expectFloats(shape(1, 2), 1, 2)
                .needs(V1_1)
                .runFloats();
    }

    @Test
    void allAxesOfSizeOne() {
        of(OperationType.SQUEEZE)
                .floats(shape(1, 2, 1), 1, 2)
                .omitted(TENSOR_INT32)
                .expectFloats(shape(2), 1, 2)
                .run();
    }

    @Test
    void nothingLeft() {
        of(OperationType.SQUEEZE)
                .floats(shape(1, 1), 5)
                .omitted(TENSOR_INT32)
                .expectFloats(shape(1), 5)
                .run();
    }

    @Test
    void rejectsAnAxisOfAnotherSize() {
        of(OperationType.SQUEEZE)
                .floats(shape(1, 2), 1, 2)
                .ints(shape(1), 1)
                .expectFloats(shape(1), 1)
                .illegal("size of axis 1: 2 (expected: 1)");
    }
}
