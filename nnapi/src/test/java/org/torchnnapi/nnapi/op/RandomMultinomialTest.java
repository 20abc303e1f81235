package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.op.OperationTester.of;
import static org.torchnnapi.nnapi.op.OperationTester.shape;

import org.junit.jupiter.api.Test;
import org.torchnnapi.nnapi.model.OperationType;

class RandomMultinomialTest {
    @Test
    void neverDrawsAnImpossibleClass() {
        of(OperationType.RANDOM_MULTINOMIAL)
                .floats(shape(2, 3), -1000, 0, -1000, 0, -1000, -1000)
                .scalar(4)
                .ints(shape(2), 7, 9)
                .expectInts(shape(2, 4), 1, 1, 1, 1, 0, 0, 0, 0)
                .run();
    }

    @Test
    void refusesSamplesOfNothing() {
        of(OperationType.RANDOM_MULTINOMIAL)
                .floats(shape(1, 2), 0, 0)
                .scalar(0)
                .ints(shape(2), 7, 9)
                .expectInts(shape(1, 0))
                .illegal("0 (expected:");
    }
}
