package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.FeatureLevel.V1_2;
import static org.torchnnapi.nnapi.model.FeatureLevel.V1_3;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_QUANT8_ASYMM;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_QUANT8_ASYMM_SIGNED;
import static org.torchnnapi.nnapi.op.OperationTester.of;
import static org.torchnnapi.nnapi.op.OperationTester.shape;

import org.junit.jupiter.api.Test;
import org.torchnnapi.nnapi.model.OperationType;

class LessTest {
    @Test
    void floats() {
        of(OperationType.LESS)
                .floats(shape(3), -1, 0, 1.5f)
                .floats(shape(1), 0)
                .expectBools(shape(3), 1, 0, 0)
                .needs(V1_2)
                .runFloats();
    }

    @Test
    void integers() {
        of(OperationType.LESS)
                .ints(shape(3), -1, 16777216, 16777217)
                .ints(shape(3), 0, 16777216, 16777216)
                .expectBools(shape(3), 1, 0, 0)
                .run();
    }

    @Test
    void quantizedByWhatTheyStandFor() {
        of(OperationType.LESS)
                .quantized(TENSOR_QUANT8_ASYMM, 0.5f, 10, shape(3), 10, 12, 14)
                .quantized(TENSOR_QUANT8_ASYMM, 1, 5, shape(1), 6)
                .expectBools(shape(3), 1, 0, 0)
                .run();
    }

    @Test
    void signedCameWith13() {
        of(OperationType.LESS)
                .quantized(TENSOR_QUANT8_ASYMM_SIGNED, 1, 0, shape(3), -9, 0, 9)
                .quantized(TENSOR_QUANT8_ASYMM_SIGNED, 1, 0, shape(1), 0)
                .expectBools(shape(3), 1, 0, 0)
                .needs(V1_3)
                .run();
    }
}
