package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.OperandType.TENSOR_QUANT8_ASYMM;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_QUANT8_ASYMM_SIGNED;
import static org.torchnnapi.nnapi.op.OperationTester.of;
import static org.torchnnapi.nnapi.op.OperationTester.shape;

import org.junit.jupiter.api.Test;
import org.torchnnapi.nnapi.model.OperationType;

class MulTest {
    @Test
    void broadcasts() {
        of(OperationType.MUL)
                .floats(shape(2, 1), 2, 3)
                .floats(shape(1, 2), 5, 7)
                .scalar(0)
                .expectFloats(shape(2, 2), 10, 14, 15, 21)
                .runFloats();
    }

    @Test
    void activation() {
        of(OperationType.MUL)
                .floats(shape(2), 2, -3)
                .floats(shape(2), 5, 7)
                .scalar(1)
                .expectFloats(shape(2), 10, 0)
                .runFloats();
    }

    @Test
    void quantized() {
        of(OperationType.MUL)
                .quantized(TENSOR_QUANT8_ASYMM_SIGNED, 0.5f, 0, shape(2), 4, -6)
                .quantized(TENSOR_QUANT8_ASYMM_SIGNED, 0.5f, 1, shape(2), 5, 9)
                .scalar(0)
                .expectQuantized(TENSOR_QUANT8_ASYMM_SIGNED, 1, -1, shape(2), 3, -13)
                .run();
    }

    @Test
    void integers() {
        of(OperationType.MUL)
                .ints(shape(2), 6, -7)
                .ints(shape(1), 3)
                .scalar(0)
                .expectInts(shape(2), 18, -21)
                .run();
    }

    @Test
    void rejectsAnOutputScaleNotAboveTheProduct() {
        of(OperationType.MUL)
                .quantized(TENSOR_QUANT8_ASYMM, 0.5f, 0, shape(1), 4)
                .quantized(TENSOR_QUANT8_ASYMM, 0.5f, 1, shape(1), 5)
                .scalar(0)
                .expectQuantized(TENSOR_QUANT8_ASYMM, 0.25f, 0, shape(1), 0)
                .illegal("scale of output 0: 0.25 (expected: > the product of the inputs' scales, 0.25)");
    }
}
