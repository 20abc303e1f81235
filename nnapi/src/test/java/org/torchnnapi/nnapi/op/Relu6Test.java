package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.OperandType.TENSOR_QUANT8_ASYMM;
import static org.torchnnapi.nnapi.op.OperationTester.of;
import static org.torchnnapi.nnapi.op.OperationTester.shape;

import org.junit.jupiter.api.Test;
import org.torchnnapi.nnapi.model.OperationType;

class Relu6Test {
    @Test
    void floats() {
        of(OperationType.RELU6)
                .floats(shape(4), -2, 0.5f, 6, 9)
                .expectFloats(shape(4), 0, 0.5f, 6, 6)
                .runFloats();
    }

    @Test
    void quantized() {
        of(OperationType.RELU6)
                .quantized(TENSOR_QUANT8_ASYMM, 0.5f, 10, shape(3), 0, 15, 50)
                .expectQuantized(TENSOR_QUANT8_ASYMM, 0.5f, 10, shape(3), 10, 15, 22)
                .run();
    }
}
