package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.FeatureLevel.V1_2;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_QUANT8_ASYMM;
import static org.torchnnapi.nnapi.op.OperationTester.of;
import static org.torchnnapi.nnapi.op.OperationTester.shape;

import org.junit.jupiter.api.Test;
import org.torchnnapi.nnapi.model.OperationType;

class PadV2Test {
    @Test
    void floats() {
        of(OperationType.PAD_V2)
                .floats(shape(2), 1, 2)
                .ints(shape(1, 2), 1, 1)
                .scalar(9f)
                .expectFloats(shape(4), 9, 1, 2, 9)
                .needs(V1_2)
                .runFloats();
    }

    @Test
    void quantizedValueIsStored() {
        of(OperationType.PAD_V2)
                .quantized(TENSOR_QUANT8_ASYMM, 0.5f, 9, shape(1), 5)
                .ints(shape(1, 2), 1, 0)
                .scalar(3)
                .expectQuantized(TENSOR_QUANT8_ASYMM, 0.5f, 9, shape(2), 3, 5)
                .run();
    }

    @Test
    void rejectsAValueThatDoesNotFit() {
        of(OperationType.PAD_V2)
                .quantized(TENSOR_QUANT8_ASYMM, 0.5f, 9, shape(1), 5)
                .ints(shape(1, 2), 1, 0)
                .scalar(300)
                .expectQuantized(TENSOR_QUANT8_ASYMM, 0.5f, 9, shape(2), 3, 5)
                .illegal("300 (expected: 0 to 255)");
    }
}
