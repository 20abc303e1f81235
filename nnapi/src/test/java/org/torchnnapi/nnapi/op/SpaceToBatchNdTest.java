package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.FeatureLevel.V1_1;
import static org.torchnnapi.nnapi.model.FeatureLevel.V1_2;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_QUANT8_ASYMM;
import static org.torchnnapi.nnapi.op.OperationTester.of;
import static org.torchnnapi.nnapi.op.OperationTester.shape;

import org.junit.jupiter.api.Test;
import org.torchnnapi.nnapi.model.OperationType;

class SpaceToBatchNdTest {
    @Test
    void padsAndCuts() {
        of(OperationType.SPACE_TO_BATCH_ND)
                .floats(shape(1, 1, 3, 1), 1, 2, 3)
                .ints(shape(2), 1, 2)
                .ints(shape(2, 2), 0, 0, 1, 0)
                .expectFloats(shape(2, 1, 2, 1), 0, 2, 1, 3)
                .needs(V1_1)
                .runFloats();
    }

    @Test
    void padsWithTheZeroPoint() {
        of(OperationType.SPACE_TO_BATCH_ND)
                .quantized(TENSOR_QUANT8_ASYMM, 1, 9, shape(1, 1, 1, 1), 5)
                .ints(shape(2), 1, 2)
                .ints(shape(2, 2), 0, 0, 0, 1)
                .scalar(false)
                .expectQuantized(TENSOR_QUANT8_ASYMM, 1, 9, shape(2, 1, 1, 1), 5, 9)
                .needs(V1_2)
                .run();
    }

    @Test
    void rejectsANegativePadding() {
        of(OperationType.SPACE_TO_BATCH_ND)
                .floats(shape(1, 1, 3, 1), 1, 2, 3)
                .ints(shape(2), 1, 2)
                .ints(shape(2, 2), 0, 0, -1, 0)
                .expectFloats(shape(2, 1, 1, 1), 1, 2)
                .illegal("padding: -1 (expected: >= 0)");
    }
}
