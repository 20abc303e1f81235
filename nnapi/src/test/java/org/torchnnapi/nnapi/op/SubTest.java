package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.FeatureLevel.V1_1;
import static org.torchnnapi.nnapi.model.FeatureLevel.V1_2;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_QUANT8_ASYMM;
import static org.torchnnapi.nnapi.op.OperationTester.of;
import static org.torchnnapi.nnapi.op.OperationTester.shape;

import org.junit.jupiter.api.Test;
import org.torchnnapi.nnapi.model.OperationType;

class SubTest {
    @Test
    void broadcasts() {
        of(OperationType.SUB)
                .floats(shape(2, 2), 1, 2, 3, 4)
                .floats(shape(2, 1), 1, 10)
                .scalar(0)
                .expectFloats(shape(2, 2), 0, 1, -7, -6)
                .needs(V1_1)
                .runFloats();
    }

    @Test
    void quantized() {
        of(OperationType.SUB)
                .quantized(TENSOR_QUANT8_ASYMM, 1, 0, shape(2), 10, 250)
                .quantized(TENSOR_QUANT8_ASYMM, 0.5f, 10, shape(2), 30, 10)
                .scalar(0)
                .expectQuantized(TENSOR_QUANT8_ASYMM, 1, 5, shape(2), 5, 255)
                .needs(V1_2)
                .run();
    }

    @Test
    void integers() {
        of(OperationType.SUB)
                .ints(shape(2), 1, 2)
                .ints(shape(2), 3, -4)
                .scalar(0)
                .expectInts(shape(2), -2, 6)
                .run();
    }
}
