package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.FeatureLevel.V1_3;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_QUANT8_ASYMM_SIGNED;
import static org.torchnnapi.nnapi.op.OperationTester.of;
import static org.torchnnapi.nnapi.op.OperationTester.shape;

import org.junit.jupiter.api.Test;
import org.torchnnapi.nnapi.model.OperationType;

class Relu1Test {
    @Test
    void floats() {
        of(OperationType.RELU1)
                .floats(shape(4), -2, -0.5f, 0.5f, 9)
                .expectFloats(shape(4), -1, -0.5f, 0.5f, 1)
                .runFloats();
    }

    @Test
    void quantized() {
        of(OperationType.RELU1)
                .quantized(TENSOR_QUANT8_ASYMM_SIGNED, 0.5f, 10, shape(3), -50, 11, 50)
                .expectQuantized(TENSOR_QUANT8_ASYMM_SIGNED, 0.5f, 10, shape(3), 8, 11, 12)
                .needs(V1_3)
                .run();
    }
}
