package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.FeatureLevel.V1_2;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_QUANT8_ASYMM;
import static org.torchnnapi.nnapi.op.OperationTester.of;
import static org.torchnnapi.nnapi.op.OperationTester.shape;

import org.junit.jupiter.api.Test;
import org.torchnnapi.nnapi.model.OperationType;

class SelectTest {
    @Test
    void picks() {
        of(OperationType.SELECT)
                .bools(shape(3), 1, 0, 1)
                .floats(shape(3), 1, 2, 3)
                .floats(shape(3), 4, 5, 6)
                .expectFloats(shape(3), 1, 5, 3)
                .needs(V1_2)
                .runFloats();
    }

    @Test
    void requantizes() {
        of(OperationType.SELECT)
                .bools(shape(2), 1, 0)
                .quantized(TENSOR_QUANT8_ASYMM, 1, 0, shape(2), 4, 4)
                .quantized(TENSOR_QUANT8_ASYMM, 0.5f, 2, shape(2), 8, 8)
                .expectQuantized(TENSOR_QUANT8_ASYMM, 1, 1, shape(2), 5, 4)
                .run();
    }

    @Test
    void rejectsAnotherShape() {
        of(OperationType.SELECT)
                .bools(shape(2), 1, 0)
                .ints(shape(1), 1)
                .ints(shape(2), 1, 2)
                .expectInts(shape(2), 1, 2)
                .illegal("shape of input 1 (a): [1]");
    }
}
