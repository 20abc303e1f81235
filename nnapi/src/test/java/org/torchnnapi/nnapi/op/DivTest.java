package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.FeatureLevel.V1_1;
import static org.torchnnapi.nnapi.model.FeatureLevel.V1_3;
import static org.torchnnapi.nnapi.op.OperationTester.of;
import static org.torchnnapi.nnapi.op.OperationTester.shape;

import org.junit.jupiter.api.Test;
import org.torchnnapi.nnapi.model.OperationType;

class DivTest {
    @Test
    void floats() {
        of(OperationType.DIV)
                .floats(shape(3), 1, 9, -3)
                .floats(shape(1), 2)
                .scalar(0)
                .expectFloats(shape(3), 0.5f, 4.5f, -1.5f)
                .needs(V1_1)
                .runFloats();
    }

    @Test
    void integersDivideDownwards() {
        of(OperationType.DIV)
                .ints(shape(4), 7, -7, 7, -7)
                .ints(shape(4), 2, 2, -2, -2)
                .scalar(0)
                .expectInts(shape(4), 3, -4, -4, 3)
                .needs(V1_3)
                .run();
    }

    @Test
    void integerByZeroDoesNotCrash() {
        of(OperationType.DIV)
                .ints(shape(1), 7)
                .ints(shape(1), 0)
                .scalar(0)
                .expectInts(shape(1), 0)
                .run();
    }

    @Test
    void rejectsUnknownActivation() {
        of(OperationType.DIV)
                .floats(shape(1), 1)
                .floats(shape(1), 2)
                .scalar(4)
                .expectFloats(shape(1), 0.5f)
                .illegal("4 (expected: 0 to 3)");
    }
}
