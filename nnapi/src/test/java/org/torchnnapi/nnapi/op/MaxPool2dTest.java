package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.OperandType.TENSOR_QUANT8_ASYMM;
import static org.torchnnapi.nnapi.op.OperationTester.of;
import static org.torchnnapi.nnapi.op.OperationTester.shape;

import org.junit.jupiter.api.Test;
import org.torchnnapi.nnapi.model.OperationType;

class MaxPool2dTest {
    @Test
    void implicit() {
        of(OperationType.MAX_POOL_2D)
                .floats(shape(1, 2, 2, 1), -1, -2, -3, -4)
                .scalars(1, 1, 1, 2, 2, 0)
                .expectFloats(shape(1, 2, 2, 1), -1, -2, -3, -4)
                .runFloats();
    }

    @Test
    void activation() {
        of(OperationType.MAX_POOL_2D)
                .floats(shape(1, 1, 2, 1), 7, 9)
                .scalars(0, 0, 0, 0, 1, 1, 2, 1, 3)
                .expectFloats(shape(1, 1, 1, 1), 6)
                .runFloats();
    }

    @Test
    void quantized() {
        of(OperationType.MAX_POOL_2D)
                .quantized(TENSOR_QUANT8_ASYMM, 0.5f, 10, shape(1, 2, 2, 1), 11, 12, 13, 15)
                .scalars(2, 1, 1, 2, 2, 0)
                .expectQuantized(TENSOR_QUANT8_ASYMM, 0.5f, 10, shape(1, 1, 1, 1), 15)
                .run();
    }

    @Test
    void rejectsAnUnknownPaddingCode() {
        of(OperationType.MAX_POOL_2D)
                .floats(shape(1, 1, 1, 1), 1)
                .scalars(3, 1, 1, 1, 1, 0)
                .expectFloats(shape(1, 1, 1, 1), 1)
                .illegal("3 (expected: 1");
    }
}
