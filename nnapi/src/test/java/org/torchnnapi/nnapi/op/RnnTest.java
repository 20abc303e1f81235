package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.op.OperationTester.of;
import static org.torchnnapi.nnapi.op.OperationTester.shape;

import org.junit.jupiter.api.Test;
import org.torchnnapi.nnapi.model.OperationType;

class RnnTest {
    @Test
    void addsInputStateAndBias() {
        // h' = relu(2x + 3h + 1) for x = 1, -5 and h = 2, 1.
        of(OperationType.RNN)
                .floats(shape(2, 1), 1, -5)
                .floats(shape(1, 1), 2)
                .floats(shape(1, 1), 3)
                .floats(shape(1), 1)
                .floats(shape(2, 1), 2, 1)
                .scalar(1)
                .expectFloats(shape(2, 1), 9, 0)
                .expectFloats(shape(2, 1), 9, 0)
                .runFloats();
    }

    @Test
    void refusesAnUnknownActivation() {
        of(OperationType.RNN)
                .floats(shape(1, 1), 1)
                .floats(shape(1, 1), 2)
                .floats(shape(1, 1), 3)
                .floats(shape(1), 1)
                .floats(shape(1, 1), 2)
                .scalar(5)
                .expectFloats(shape(1, 1), 9)
                .expectFloats(shape(1, 1), 9)
                .illegal("activation: 5");
    }

    @Test
    void refusesAStateOfAnotherBatch() {
        of(OperationType.RNN)
                .floats(shape(1, 1), 1)
                .floats(shape(1, 1), 2)
                .floats(shape(1, 1), 3)
                .floats(shape(1), 1)
                .floats(shape(2, 1), 2, 2)
                .scalar(0)
                .expectFloats(shape(1, 1), 9)
                .expectFloats(shape(1, 1), 9)
                .illegal("shape of input 4");
    }
}
