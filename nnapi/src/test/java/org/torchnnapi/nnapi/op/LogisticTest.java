package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.OperandType.TENSOR_QUANT8_ASYMM;
import static org.torchnnapi.nnapi.op.OperationTester.of;
import static org.torchnnapi.nnapi.op.OperationTester.shape;

import org.junit.jupiter.api.Test;
import org.torchnnapi.nnapi.model.OperationType;

class LogisticTest {
    @Test
    void floats() {
        of(OperationType.LOGISTIC)
                .floats(shape(3), 0, 2, -2)
                .expectFloats(shape(3), 0.5f, 0.880797f, 0.119203f)
                .runFloats();
    }

    @Test
    void quantized() {
        of(OperationType.LOGISTIC)
                .quantized(TENSOR_QUANT8_ASYMM, 0.5f, 100, shape(3), 100, 104, 96)
                .expectQuantized(TENSOR_QUANT8_ASYMM, 1f / 256, 0, shape(3), 128, 225, 31)
                .run();
    }

    @Test
    void rejectsAnotherOutputScale() {
        of(OperationType.LOGISTIC)
                .quantized(TENSOR_QUANT8_ASYMM, 0.5f, 100, shape(1), 100)
                .expectQuantized(TENSOR_QUANT8_ASYMM, 0.5f, 0, shape(1), 128)
                .illegal("quantization of output 0 (output): 0.5/0");
    }
}
