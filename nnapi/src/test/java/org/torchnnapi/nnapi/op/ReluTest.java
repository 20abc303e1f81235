package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.FeatureLevel.V1_0;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_QUANT8_ASYMM;
import static org.torchnnapi.nnapi.op.OperationTester.of;
import static org.torchnnapi.nnapi.op.OperationTester.shape;

import org.junit.jupiter.api.Test;
import org.torchnnapi.nnapi.model.OperationType;

class ReluTest {
    @Test
    void floats() {
        of(OperationType.RELU)
                .floats(shape(4), -1, 0, 2.5f, 9)
                .expectFloats(shape(4), 0, 0, 2.5f, 9)
                .needs(V1_0)
                .runFloats();
    }

    @Test
    void quantized() {
        of(OperationType.RELU)
                .quantized(TENSOR_QUANT8_ASYMM, 0.5f, 100, shape(3), 90, 100, 200)
                .expectQuantized(TENSOR_QUANT8_ASYMM, 0.5f, 100, shape(3), 100, 100, 200)
                .needs(V1_0)
                .run();
    }

    @Test
    void rejectsAnotherScale() {
        of(OperationType.RELU)
                .quantized(TENSOR_QUANT8_ASYMM, 0.5f, 100, shape(1), 90)
                .expectQuantized(TENSOR_QUANT8_ASYMM, 0.25f, 100, shape(1), 100)
                .illegal("quantization of output 0");
    }

    @Test
    void empty() {
        of(OperationType.RELU).floats(shape(0, 2)).expectFloats(shape(0, 2)).run();
    }
}
