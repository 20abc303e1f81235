package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.FeatureLevel.V1_3;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_QUANT8_ASYMM_SIGNED;
import static org.torchnnapi.nnapi.op.OperationTester.of;
import static org.torchnnapi.nnapi.op.OperationTester.shape;

import org.junit.jupiter.api.Test;
import org.torchnnapi.nnapi.model.OperationType;

class ArgMinTest {
    @Test
    void alongAnAxis() {
        of(OperationType.ARGMIN)
                .floats(shape(2, 3), 1, 5, 5, 7, 2, 2)
                .scalar(0)
                .expectInts(shape(3), 0, 1, 1)
                .runFloats();
    }

    @Test
    void quantizedVector() {
        of(OperationType.ARGMIN)
                .quantized(TENSOR_QUANT8_ASYMM_SIGNED, 1, 0, shape(3), 5, -9, 8)
                .scalar(0)
                .expectInts(shape(1), 1)
                .needs(V1_3)
                .run();
    }
}
