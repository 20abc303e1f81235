package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.FeatureLevel.V1_0;
import static org.torchnnapi.nnapi.model.FeatureLevel.V1_2;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_QUANT8_ASYMM;
import static org.torchnnapi.nnapi.op.OperationTester.of;
import static org.torchnnapi.nnapi.op.OperationTester.shape;

import org.junit.jupiter.api.Test;
import org.torchnnapi.nnapi.model.OperationType;

class AveragePool2dTest {
    @Test
    void implicitSamePaddingIsNotCounted() {
        of(OperationType.AVERAGE_POOL_2D)
                .floats(shape(1, 2, 2, 1), 1, 2, 3, 4)
                .scalars(1, 1, 1, 2, 2, 0)
                .expectFloats(shape(1, 2, 2, 1), 2.5f, 3, 3.5f, 4)
                .needs(V1_0)
                .runFloats();
    }

    @Test
    void explicitPadding() {
        of(OperationType.AVERAGE_POOL_2D)
                .floats(shape(1, 1, 2, 1), 1, 2)
                .scalars(1, 0, 0, 0, 2, 1, 2, 1, 0)
                .expectFloats(shape(1, 1, 1, 1), 1)
                .needs(V1_0)
                .runFloats();
    }

    @Test
    void nchw() {
        of(OperationType.AVERAGE_POOL_2D)
                .floats(shape(1, 2, 1, 2), 1, 3, 5, 9)
                .scalars(2, 1, 1, 2, 1, 0)
                .scalar(true)
                .expectFloats(shape(1, 2, 1, 1), 2, 7)
                .needs(V1_2)
                .runFloats();
    }

    @Test
    void quantized() {
        of(OperationType.AVERAGE_POOL_2D)
                .quantized(TENSOR_QUANT8_ASYMM, 0.5f, 10, shape(1, 2, 2, 1), 11, 12, 13, 15)
                .scalars(2, 1, 1, 2, 2, 0)
                .expectQuantized(TENSOR_QUANT8_ASYMM, 0.5f, 10, shape(1, 1, 1, 1), 13)
                .run();
    }

    @Test
    void noBatches() {
        of(OperationType.AVERAGE_POOL_2D)
                .floats(shape(0, 2, 2, 1))
                .scalars(2, 1, 1, 2, 2, 0)
                .expectFloats(shape(0, 1, 1, 1))
                .run();
    }

    @Test
    void rejectsAStrideOfZero() {
        of(OperationType.AVERAGE_POOL_2D)
                .floats(shape(1, 1, 1, 1), 1)
                .scalars(2, 0, 1, 1, 1, 0)
                .expectFloats(shape(1, 1, 1, 1), 1)
                .illegal("0 (expected:");
    }
}
