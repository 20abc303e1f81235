package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.FeatureLevel.V1_0;
import static org.torchnnapi.nnapi.model.FeatureLevel.V1_2;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_QUANT8_ASYMM;
import static org.torchnnapi.nnapi.op.OperationTester.of;
import static org.torchnnapi.nnapi.op.OperationTester.shape;

import org.junit.jupiter.api.Test;
import org.torchnnapi.nnapi.model.OperationType;

class TanhTest {
    @Test
    void floats() {
        of(OperationType.TANH)
                .floats(shape(3), 0, 1, -1)
                .expectFloats(shape(3), 0, 0.7615942f, -0.7615942f)
                .needs(V1_0)
                .runFloats();
    }

    @Test
    void quantized() {
        of(OperationType.TANH)
                .quantized(TENSOR_QUANT8_ASYMM, 0.5f, 100, shape(3), 100, 102, 98)
                .expectQuantized(TENSOR_QUANT8_ASYMM, 1f / 128, 128, shape(3), 128, 225, 31)
                .needs(V1_2)
                .run();
    }
}
