package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.FeatureLevel.V1_2;
import static org.torchnnapi.nnapi.model.FeatureLevel.V1_3;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_QUANT8_ASYMM;
import static org.torchnnapi.nnapi.op.OperationTester.of;
import static org.torchnnapi.nnapi.op.OperationTester.shape;

import org.junit.jupiter.api.Test;
import org.torchnnapi.nnapi.model.OperationType;

class AbsTest {
    @Test
    void floats() {
        of(OperationType.ABS)
                .floats(shape(2, 2), -1.5f, 0, 2, -7)
                .expectFloats(shape(2, 2), 1.5f, 0, 2, 7)
                .needs(V1_2)
                .runFloats();
    }

    @Test
    void integers() {
        of(OperationType.ABS)
                .ints(shape(3), -5, 0, 5)
                .expectInts(shape(3), 5, 0, 5)
                .needs(V1_3)
                .run();
    }

    @Test
    void rejectsQuantized() {
        of(OperationType.ABS)
                .quantized(TENSOR_QUANT8_ASYMM, 1, 0, shape(1), 1)
                .expectQuantized(TENSOR_QUANT8_ASYMM, 1, 0, shape(1), 1)
                .illegal("TENSOR_QUANT8_ASYMM");
    }
}
