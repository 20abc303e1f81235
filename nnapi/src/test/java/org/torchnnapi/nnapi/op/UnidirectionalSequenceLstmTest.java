package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.op.OperationTester.of;
import static org.torchnnapi.nnapi.op.OperationTester.shape;

import org.junit.jupiter.api.Test;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.OperationType;

class UnidirectionalSequenceLstmTest {
    @Test
    void carriesTheCellThroughTime() {
        // Gates of 0.5 and candidates equal to the inputs: c = 0.5 c + 0.5 x, h = 0.5 c.
        of(OperationType.UNIDIRECTIONAL_SEQUENCE_LSTM)
                .floats(shape(2, 1, 1), 4, 8)
                .floats(shape(1, 1), 0)
                .floats(shape(1, 1), 0)
                .floats(shape(1, 1), 1)
                .floats(shape(1, 1), 0)
                .floats(shape(1, 1), 0)
                .floats(shape(1, 1), 0)
                .floats(shape(1, 1), 0)
                .floats(shape(1, 1), 0)
                .omitted(OperandType.TENSOR_FLOAT32)
                .omitted(OperandType.TENSOR_FLOAT32)
                .omitted(OperandType.TENSOR_FLOAT32)
                .floats(shape(1), 0)
                .floats(shape(1), 0)
                .floats(shape(1), 0)
                .floats(shape(1), 0)
                .omitted(OperandType.TENSOR_FLOAT32)
                .omitted(OperandType.TENSOR_FLOAT32)
                .floats(shape(1, 1), 0)
                .floats(shape(1, 1), 0)
                .scalar(0)
                .scalar(0f)
                .scalar(0f)
                .scalar(true)
                .omitted(OperandType.TENSOR_FLOAT32)
                .omitted(OperandType.TENSOR_FLOAT32)
                .omitted(OperandType.TENSOR_FLOAT32)
                .omitted(OperandType.TENSOR_FLOAT32)
                .expectFloats(shape(2, 1, 1), 1, 2.5f)
                .runFloats();
    }
}
