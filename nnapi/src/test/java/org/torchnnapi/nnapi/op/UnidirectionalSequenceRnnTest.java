package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.op.OperationTester.of;
import static org.torchnnapi.nnapi.op.OperationTester.shape;

import org.junit.jupiter.api.Test;
import org.torchnnapi.nnapi.model.OperationType;

class UnidirectionalSequenceRnnTest {
    private static OperationTester sequence(int timeMajor, int[] dims) {
        return of(OperationType.UNIDIRECTIONAL_SEQUENCE_RNN)
                .floats(dims, 1, 2, 3)
                .floats(shape(1, 1), 1)
                .floats(shape(1, 1), 10)
                .floats(shape(1), 0)
                .floats(shape(1, 1), 0)
                .scalar(0)
                .scalar(timeMajor);
    }

    @Test
    void carriesTheStateThroughTime() {
        sequence(1, shape(3, 1, 1)).expectFloats(shape(3, 1, 1), 1, 12, 123).runFloats();
    }

    @Test
    void takesBatchFirstSequencesAndReturnsTheState() {
        sequence(0, shape(1, 3, 1))
                .expectFloats(shape(1, 3, 1), 1, 12, 123)
                .expectFloats(shape(1, 1), 123)
                .runFloats();
    }
}
