package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.OperandType.TENSOR_QUANT8_ASYMM;
import static org.torchnnapi.nnapi.op.OperationTester.of;
import static org.torchnnapi.nnapi.op.OperationTester.shape;

import org.junit.jupiter.api.Test;
import org.torchnnapi.nnapi.model.OperationType;

class MaximumTest {
    @Test
    void broadcasts() {
        of(OperationType.MAXIMUM)
                .floats(shape(2, 2), -1, 2, 0, 4)
                .floats(shape(2, 1), 1, 2)
                .expectFloats(shape(2, 2), 1, 2, 2, 4)
                .runFloats();
    }

    @Test
    void quantizedOfAnotherScale() {
        of(OperationType.MAXIMUM)
                .quantized(TENSOR_QUANT8_ASYMM, 0.5f, 10, shape(2), 10, 30)
                .quantized(TENSOR_QUANT8_ASYMM, 1, 5, shape(1), 7)
                .expectQuantized(TENSOR_QUANT8_ASYMM, 1, 10, shape(2), 12, 20)
                .run();
    }

    @Test
    void integers() {
        of(OperationType.MAXIMUM)
                .ints(shape(2, 2), -1, 2, 0, 4)
                .ints(shape(2, 1), 1, 2)
                .expectInts(shape(2, 2), 1, 2, 2, 4)
                .run();
    }
}
