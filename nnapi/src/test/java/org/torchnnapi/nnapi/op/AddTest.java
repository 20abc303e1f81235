package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.FeatureLevel.V1_0;
import static org.torchnnapi.nnapi.model.FeatureLevel.V1_3;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_QUANT8_ASYMM;
import static org.torchnnapi.nnapi.op.OperationTester.of;
import static org.torchnnapi.nnapi.op.OperationTester.shape;

import org.junit.jupiter.api.Test;
import org.torchnnapi.nnapi.model.OperationType;

class AddTest {
    @Test
    void broadcasts() {
        of(OperationType.ADD)
                .floats(shape(2, 2), 1, 2, 3, 4)
                .floats(shape(2), 10, -20)
                .scalar(0)
                .expectFloats(shape(2, 2), 11, -18, 13, -16)
                .needs(V1_0)
                .runFloats();
    }

    @Test
    void activation() {
        of(OperationType.ADD)
                .floats(shape(3), 1, 2, -3)
                .floats(shape(1), 5)
                .scalar(3)
                .expectFloats(shape(3), 6, 6, 2)
                .runFloats();
    }

    @Test
    void quantized() {
        of(OperationType.ADD)
                .quantized(TENSOR_QUANT8_ASYMM, 1, 0, shape(2), 10, 250)
                .quantized(TENSOR_QUANT8_ASYMM, 0.5f, 10, shape(2), 30, 210)
                .scalar(0)
                .expectQuantized(TENSOR_QUANT8_ASYMM, 2, 1, shape(2), 11, 176)
                .run();
    }

    @Test
    void integers() {
        of(OperationType.ADD)
                .ints(shape(2), 1, 2)
                .ints(shape(2), 3, -4)
                .scalar(0)
                .expectInts(shape(2), 4, -2)
                .needs(V1_3)
                .run();
    }

    @Test
    void rejectsActivationOfIntegers() {
        of(OperationType.ADD)
                .ints(shape(1), 1)
                .ints(shape(1), 3)
                .scalar(1)
                .expectInts(shape(1), 4)
                .illegal(
                        "input 2 (activation): 1 (expected: 0 to 0)",
                        "fused activation: RELU (expected: NONE for TENSOR_INT32)");
    }

    @Test
    void rejectsShapesThatDoNotBroadcast() {
        of(OperationType.ADD)
                .floats(shape(2), 1, 2)
                .floats(shape(3), 1, 2, 3)
                .scalar(0)
                .expectFloats(shape(3), 0, 0, 0)
                .illegal("broadcast compatible");
    }

    @Test
    void empty() {
        of(OperationType.ADD)
                .floats(shape(0, 2))
                .floats(shape(2), 1, 2)
                .scalar(0)
                .expectFloats(shape(0, 2))
                .run();
    }
}
