package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.FeatureLevel.V1_2;
import static org.torchnnapi.nnapi.model.FeatureLevel.V1_3;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_QUANT8_ASYMM;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_QUANT8_ASYMM_SIGNED;
import static org.torchnnapi.nnapi.op.OperationTester.of;
import static org.torchnnapi.nnapi.op.OperationTester.shape;

import org.junit.jupiter.api.Test;
import org.torchnnapi.nnapi.model.OperationType;

class QuantizeTest {
    @Test
    void roundsHalvesToEvenAndSaturates() {
        of(OperationType.QUANTIZE)
                .floats(shape(5), 0, 0.25f, 0.75f, 1000, -1000)
                .expectQuantized(TENSOR_QUANT8_ASYMM, 0.5f, 10, shape(5), 10, 10, 12, 255, 0)
                .needs(V1_2)
                .runFloats();
    }

    @Test
    void signed() {
        of(OperationType.QUANTIZE)
                .floats(shape(2), 1, -80)
                .expectQuantized(TENSOR_QUANT8_ASYMM_SIGNED, 0.5f, -1, shape(2), 1, -128)
                .needs(V1_3)
                .runFloats();
    }
}
