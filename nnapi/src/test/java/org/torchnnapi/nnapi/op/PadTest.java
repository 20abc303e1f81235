package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.FeatureLevel.V1_1;
import static org.torchnnapi.nnapi.model.FeatureLevel.V1_2;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_QUANT8_ASYMM;
import static org.torchnnapi.nnapi.op.OperationTester.of;
import static org.torchnnapi.nnapi.op.OperationTester.shape;

import org.junit.jupiter.api.Test;
import org.torchnnapi.nnapi.model.OperationType;

class PadTest {
    @Test
    void floats() {
        of(OperationType.PAD)
                .floats(shape(1, 2), 1, 2)
                .ints(shape(2, 2), 1, 0, 0, 2)
                .expectFloats(shape(2, 4), 0, 0, 0, 0, 1, 2, 0, 0)
                .needs(V1_1)
                .runFloats();
    }

    @Test
    void padsWithTheZeroPoint() {
        of(OperationType.PAD)
                .quantized(TENSOR_QUANT8_ASYMM, 1, 9, shape(1), 5)
                .ints(shape(1, 2), 1, 1)
                .expectQuantized(TENSOR_QUANT8_ASYMM, 1, 9, shape(3), 9, 5, 9)
                .needs(V1_2)
                .run();
    }

    @Test
    void rejectsANegativeCount() {
        of(OperationType.PAD)
                .floats(shape(2), 1, 2)
                .ints(shape(1, 2), -1, 0)
                .expectFloats(shape(1), 2)
                .illegal("padding of axis 0: -1, 0");
    }
}
