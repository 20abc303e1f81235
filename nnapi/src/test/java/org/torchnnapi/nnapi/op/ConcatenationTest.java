package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.FeatureLevel.V1_0;
import static org.torchnnapi.nnapi.model.FeatureLevel.V1_2;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_QUANT8_ASYMM;
import static org.torchnnapi.nnapi.op.OperationTester.of;
import static org.torchnnapi.nnapi.op.OperationTester.shape;

import org.junit.jupiter.api.Test;
import org.torchnnapi.nnapi.model.OperationType;

class ConcatenationTest {
    @Test
    void alongAnAxis() {
        of(OperationType.CONCATENATION)
                .floats(shape(2, 1), 1, 2)
                .floats(shape(2, 2), 3, 4, 5, 6)
                .scalar(1)
                .expectFloats(shape(2, 3), 1, 3, 4, 2, 5, 6)
                .needs(V1_0)
                .runFloats();
    }

    @Test
    void requantizes() {
        of(OperationType.CONCATENATION)
                .quantized(TENSOR_QUANT8_ASYMM, 0.5f, 0, shape(2), 10, 20)
                .quantized(TENSOR_QUANT8_ASYMM, 1, 5, shape(2), 6, 7)
                .scalar(0)
                .expectQuantized(TENSOR_QUANT8_ASYMM, 1, 0, shape(4), 5, 10, 1, 2)
                .needs(V1_2)
                .run();
    }

    @Test
    void emptyInput() {
        of(OperationType.CONCATENATION)
                .floats(shape(0, 2))
                .floats(shape(1, 2), 3, 4)
                .scalar(0)
                .expectFloats(shape(1, 2), 3, 4)
                .run();
    }

    @Test
    void rejectsMixedTypes() {
        of(OperationType.CONCATENATION)
                .floats(shape(1), 1)
                .ints(shape(1), 1)
                .scalar(0)
                .expectFloats(shape(2), 1, 1)
                .illegal("type of input 1: TENSOR_INT32");
    }

    @Test
    void rejectsRank5() {
        of(OperationType.CONCATENATION)
                .floats(shape(1, 1, 1, 1, 1), 1)
                .scalar(0)
                .expectFloats(shape(1, 1, 1, 1, 1), 1)
                .illegal("rank of input 0 (tensors[0]): 5");
    }

    @Test
    void rejectsOtherSizes() {
        of(OperationType.CONCATENATION)
                .floats(shape(1, 2), 1, 2)
                .floats(shape(1, 3), 1, 2, 3)
                .scalar(0)
                .expectFloats(shape(2, 2), 1, 1, 1, 1)
                .illegal("shape of input 1");
    }
}
