package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.OperandType.TENSOR_QUANT8_ASYMM;
import static org.torchnnapi.nnapi.op.OperationTester.of;
import static org.torchnnapi.nnapi.op.OperationTester.shape;

import org.junit.jupiter.api.Test;
import org.torchnnapi.nnapi.model.OperationType;

class PreluTest {
    @Test
    void broadcasts() {
        of(OperationType.PRELU)
                .floats(shape(2, 2), -1, 2, -3, -4)
                .floats(shape(2), 0.5f, 10)
                .expectFloats(shape(2, 2), -0.5f, 2, -1.5f, -40)
                .runFloats();
    }

    @Test
    void quantized() {
        of(OperationType.PRELU)
                .quantized(TENSOR_QUANT8_ASYMM, 0.5f, 100, shape(2), 90, 110)
                .quantized(TENSOR_QUANT8_ASYMM, 0.5f, 10, shape(1), 11)
                .expectQuantized(TENSOR_QUANT8_ASYMM, 0.5f, 120, shape(2), 115, 130)
                .run();
    }
}
