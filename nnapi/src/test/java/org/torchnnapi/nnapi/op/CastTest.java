package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.FeatureLevel.V1_2;
import static org.torchnnapi.nnapi.model.FeatureLevel.V1_3;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_QUANT8_ASYMM;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_QUANT8_ASYMM_SIGNED;
import static org.torchnnapi.nnapi.op.OperationTester.of;
import static org.torchnnapi.nnapi.op.OperationTester.shape;

import org.junit.jupiter.api.Test;
import org.torchnnapi.nnapi.model.OperationType;

class CastTest {
    @Test
    void floatsAreCutOff() {
        of(OperationType.CAST)
                .floats(shape(4), 1.9f, -1.9f, 0, 7)
                .expectInts(shape(4), 1, -1, 0, 7)
                .needs(V1_2)
                .runFloats();
    }

    @Test
    void toQuantizedSaturatesAndIgnoresTheScale() {
        of(OperationType.CAST)
                .ints(shape(3), -5, 100, 300)
                .expectQuantized(TENSOR_QUANT8_ASYMM, 4, 9, shape(3), 0, 100, 255)
                .run();
    }

    @Test
    void fromQuantizedIgnoresTheScale() {
        of(OperationType.CAST)
                .quantized(TENSOR_QUANT8_ASYMM, 4, 9, shape(2), 1, 200)
                .expectFloats(shape(2), 1, 200)
                .runFloats();
    }

    @Test
    void identityCameWith13() {
        of(OperationType.CAST)
                .bools(shape(2), 1, 0)
                .expectBools(shape(2), 1, 0)
                .needs(V1_3)
                .run();
    }

    @Test
    void rejectsSignedToFloat() {
        of(OperationType.CAST)
                .quantized(TENSOR_QUANT8_ASYMM_SIGNED, 4, 9, shape(1), 1)
                .expectFloats(shape(1), 1)
                .illegal("operand types (TENSOR_QUANT8_ASYMM_SIGNED)");
    }
}
