package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.op.OperationTester.of;
import static org.torchnnapi.nnapi.op.OperationTester.shape;

import org.junit.jupiter.api.Test;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.OperationType;

class BidirectionalSequenceLstmTest {
    private static void layer(OperationTester tester) {
        for (float weight : new float[] {0, 0, 1, 0, 0, 0, 0, 0}) {
            tester.floats(shape(1, 1), weight);
        }
        for (int i = 0; i < 3; i++) {
            tester.omitted(OperandType.TENSOR_FLOAT32);
        }
        for (int i = 0; i < 4; i++) {
            tester.floats(shape(1), 0);
        }
        tester.omitted(OperandType.TENSOR_FLOAT32).omitted(OperandType.TENSOR_FLOAT32);
    }

    @Test
    void runsForwardAndBackward() {
        OperationTester tester = of(OperationType.BIDIRECTIONAL_SEQUENCE_LSTM).floats(shape(2, 1, 1), 4, 8);
        layer(tester);
        layer(tester);
        for (int i = 0; i < 4; i++) {
            tester.floats(shape(1, 1), 0);
        }
        for (int i = 0; i < 9; i++) {
            tester.omitted(OperandType.TENSOR_FLOAT32);
        }
        tester.scalar(0).scalar(0f).scalar(0f).scalar(false).scalar(true);
        for (int i = 0; i < 8; i++) {
            tester.omitted(OperandType.TENSOR_FLOAT32);
        }
        // Gates of 0.5 and candidates equal to the inputs: c = 0.5 c + 0.5 x, h = 0.5 c, from either end.
        tester.expectFloats(shape(2, 1, 1), 1, 2.5f)
                .expectFloats(shape(2, 1, 1), 2, 2)
                .run();
    }
}
