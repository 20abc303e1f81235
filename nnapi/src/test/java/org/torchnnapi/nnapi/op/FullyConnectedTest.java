package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.FeatureLevel.V1_0;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_QUANT8_ASYMM;
import static org.torchnnapi.nnapi.op.OperationTester.of;
import static org.torchnnapi.nnapi.op.OperationTester.shape;

import org.junit.jupiter.api.Test;
import org.torchnnapi.nnapi.model.OperationType;

class FullyConnectedTest {
    @Test
    void flattens() {
        of(OperationType.FULLY_CONNECTED)
                .floats(shape(2, 1, 2), 1, 2, 3, 4)
                .floats(shape(1, 2), 10, 1)
                .floats(shape(1), 5)
                .scalar(0)
                .expectFloats(shape(2, 1), 17, 39)
                .needs(V1_0)
                .runFloats();
    }

    @Test
    void quantized() {
        of(OperationType.FULLY_CONNECTED)
                .quantized(TENSOR_QUANT8_ASYMM, 0.5f, 10, shape(1, 2), 12, 8)
                .quantized(TENSOR_QUANT8_ASYMM, 0.5f, 0, shape(1, 2), 4, 2)
                .bias(0.25f, 8)
                .scalar(1)
                .expectQuantized(TENSOR_QUANT8_ASYMM, 0.5f, 1, shape(1, 1), 7)
                .run();
    }

    @Test
    void rejectsAnotherBiasScale() {
        of(OperationType.FULLY_CONNECTED)
                .quantized(TENSOR_QUANT8_ASYMM, 0.5f, 10, shape(1, 1), 12)
                .quantized(TENSOR_QUANT8_ASYMM, 0.5f, 0, shape(1, 1), 4)
                .bias(0.5f, 8)
                .scalar(0)
                .expectQuantized(TENSOR_QUANT8_ASYMM, 0.5f, 1, shape(1, 1), 5)
                .illegal("bias scale: 0.5");
    }

    @Test
    void rejectsWeightsThatDoNotFit() {
        of(OperationType.FULLY_CONNECTED)
                .floats(shape(1, 3), 1, 2, 3)
                .floats(shape(1, 2), 10, 1)
                .floats(shape(1), 5)
                .scalar(0)
                .expectFloats(shape(1, 1), 0)
                .illegal("input elements: 3");
    }
}
