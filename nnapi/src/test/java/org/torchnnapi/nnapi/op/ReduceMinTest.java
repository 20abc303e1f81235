package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.FeatureLevel.V1_3;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_QUANT8_ASYMM_SIGNED;
import static org.torchnnapi.nnapi.op.OperationTester.of;
import static org.torchnnapi.nnapi.op.OperationTester.shape;

import org.junit.jupiter.api.Test;
import org.torchnnapi.nnapi.model.OperationType;

class ReduceMinTest {
    @Test
    void alongAnAxis() {
        of(OperationType.REDUCE_MIN)
                .floats(shape(2, 3), 1, 2, -3, -4, -5, -6)
                .ints(shape(1), 1)
                .scalar(false)
                .expectFloats(shape(2), -3, -6)
                .runFloats();
    }

    @Test
    void quantized() {
        of(OperationType.REDUCE_MIN)
                .quantized(TENSOR_QUANT8_ASYMM_SIGNED, 0.5f, 7, shape(2, 2), 1, 2, 9, -4)
                .ints(shape(1), 0)
                .scalar(true)
                .expectQuantized(TENSOR_QUANT8_ASYMM_SIGNED, 0.5f, 7, shape(1, 2), 1, -4)
                .needs(V1_3)
                .run();
    }
}
