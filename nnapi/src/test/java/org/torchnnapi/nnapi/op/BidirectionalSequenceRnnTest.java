package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.op.OperationTester.of;
import static org.torchnnapi.nnapi.op.OperationTester.shape;

import org.junit.jupiter.api.Test;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.OperationType;

class BidirectionalSequenceRnnTest {
    private static OperationTester layers() {
        return of(OperationType.BIDIRECTIONAL_SEQUENCE_RNN)
                .floats(shape(3, 1, 1), 1, 2, 3)
                .floats(shape(1, 1), 1)
                .floats(shape(1, 1), 10)
                .floats(shape(1), 0)
                .floats(shape(1, 1), 0)
                .floats(shape(1, 1), 1)
                .floats(shape(1, 1), 10)
                .floats(shape(1), 0)
                .floats(shape(1, 1), 0);
    }

    private static OperationTester plain() {
        return layers().omitted(OperandType.TENSOR_FLOAT32)
                .omitted(OperandType.TENSOR_FLOAT32)
                .omitted(OperandType.TENSOR_FLOAT32)
                .scalar(0)
                .scalar(true);
    }

    @Test
    void runsForwardAndBackward() {
        plain().scalar(false)
                .expectFloats(shape(3, 1, 1), 1, 12, 123)
                .expectFloats(shape(3, 1, 1), 321, 32, 3)
                .run();
    }

    @Test
    void mergesOutputsAlongTheFeatures() {
        plain().scalar(true)
                .expectFloats(shape(3, 1, 2), 1, 321, 12, 32, 123, 3)
                .run();
    }

    @Test
    void returnsTheLastStates() {
        plain().scalar(false)
                .expectFloats(shape(3, 1, 1), 1, 12, 123)
                .expectFloats(shape(3, 1, 1), 321, 32, 3)
                .expectFloats(shape(1, 1), 123)
                .expectFloats(shape(1, 1), 321)
                .run();
    }

    @Test
    void givesTheAuxiliaryInputToTheBackwardLayerWithoutWeights() {
        layers().floats(shape(3, 1, 1), 4, 5, 6)
                .omitted(OperandType.TENSOR_FLOAT32)
                .omitted(OperandType.TENSOR_FLOAT32)
                .scalar(0)
                .scalar(true)
                .scalar(false)
                .expectFloats(shape(3, 1, 1), 1, 12, 123)
                .expectFloats(shape(3, 1, 1), 654, 65, 6)
                .run();
    }

    @Test
    void addsTheWeightedAuxiliaryInput() {
        layers().floats(shape(3, 1, 1), 4, 5, 6)
                .floats(shape(1, 1), 1)
                .floats(shape(1, 1), 0)
                .scalar(0)
                .scalar(true)
                .scalar(false)
                .expectFloats(shape(3, 1, 1), 5, 57, 579)
                .expectFloats(shape(3, 1, 1), 321, 32, 3)
                .run();
    }

    @Test
    void refusesAnAuxiliaryInputThatIsNoSequence() {
        layers().floats(shape(3, 1), 4, 5, 6)
                .floats(shape(1, 1), 1)
                .floats(shape(1, 1), 0)
                .scalar(0)
                .scalar(true)
                .scalar(false)
                .expectFloats(shape(3, 1, 1), 5, 57, 579)
                .expectFloats(shape(3, 1, 1), 321, 32, 3)
                .illegal("rank of input 9 (auxiliaryInput): 2");
    }
}
