package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.FeatureLevel.V1_3;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_QUANT8_ASYMM_SIGNED;
import static org.torchnnapi.nnapi.op.OperationTester.of;
import static org.torchnnapi.nnapi.op.OperationTester.shape;

import org.junit.jupiter.api.Test;
import org.torchnnapi.nnapi.model.OperationType;

class HardSwishTest {
    @Test
    void floats() {
        of(OperationType.HARD_SWISH)
                .floats(shape(4), -4, -1, 1, 5)
                .expectFloats(shape(4), 0, -0.33333334f, 0.6666667f, 5)
                .needs(V1_3)
                .runFloats();
    }

    @Test
    void quantized() {
        of(OperationType.HARD_SWISH)
                .quantized(TENSOR_QUANT8_ASYMM_SIGNED, 0.5f, 0, shape(3), -8, 6, 10)
                .expectQuantized(TENSOR_QUANT8_ASYMM_SIGNED, 0.25f, 0, shape(3), 0, 12, 20)
                .run();
    }
}
