package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.FeatureLevel.V1_0;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_QUANT8_ASYMM;
import static org.torchnnapi.nnapi.op.OperationTester.of;
import static org.torchnnapi.nnapi.op.OperationTester.shape;

import org.junit.jupiter.api.Test;
import org.torchnnapi.nnapi.model.OperationType;

class L2Pool2dTest {
    @Test
    void rootOfTheMeanSquare() {
        of(OperationType.L2_POOL_2D)
                .floats(shape(1, 1, 2, 1), 1, 7)
                .scalars(2, 1, 1, 2, 1, 0)
                .expectFloats(shape(1, 1, 1, 1), 5)
                .needs(V1_0)
                .runFloats();
    }

    @Test
    void rejectsQuantized() {
        of(OperationType.L2_POOL_2D)
                .quantized(TENSOR_QUANT8_ASYMM, 1, 0, shape(1, 1, 1, 1), 1)
                .scalars(2, 1, 1, 1, 1, 0)
                .expectQuantized(TENSOR_QUANT8_ASYMM, 1, 0, shape(1, 1, 1, 1), 1)
                .illegal("L2_POOL_2D");
    }
}
