package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.op.OperationTester.of;
import static org.torchnnapi.nnapi.op.OperationTester.shape;

import org.junit.jupiter.api.Test;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.OperationType;

class LstmTest {
    /** One unit; all weights zero, so that gates depend on biases and peepholes alone. */
    private static OperationTester cell(
            float inputBias, float forgetBias, float cellBias, float outputBias, float cellState) {
        return of(OperationType.LSTM)
                .floats(shape(1, 1), 1)
                .floats(shape(1, 1), 0)
                .floats(shape(1, 1), 0)
                .floats(shape(1, 1), 0)
                .floats(shape(1, 1), 0)
                .floats(shape(1, 1), 0)
                .floats(shape(1, 1), 0)
                .floats(shape(1, 1), 0)
                .floats(shape(1, 1), 0)
                .omitted(OperandType.TENSOR_FLOAT32)
                .omitted(OperandType.TENSOR_FLOAT32)
                .omitted(OperandType.TENSOR_FLOAT32)
                .floats(shape(1), inputBias)
                .floats(shape(1), forgetBias)
                .floats(shape(1), cellBias)
                .floats(shape(1), outputBias)
                .omitted(OperandType.TENSOR_FLOAT32)
                .omitted(OperandType.TENSOR_FLOAT32)
                .floats(shape(1, 1), 0)
                .floats(shape(1, 1), cellState);
    }

    @Test
    void combinesTheGates() {
        // Gates of sigmoid(0) = 0.5: c = 0.5 * 2 + 0.5 * 3 = 2.5, h = 0.5 * 2.5, without activation.
        cell(0, 0, 3, 0, 2)
                .scalar(0)
                .scalar(0f)
                .scalar(0f)
                .expectFloats(shape(1, 4), 0, 0, 0, 0)
                .expectFloats(shape(1, 1), 1.25f)
                .expectFloats(shape(1, 1), 2.5f)
                .expectFloats(shape(1, 1), 1.25f)
                .runFloats();
    }

    @Test
    void clipsTheCell() {
        cell(0, 0, 3, 0, 2)
                .scalar(0)
                .scalar(1f)
                .scalar(0f)
                .expectFloats(shape(1, 4), 0, 0, 0, 0)
                .expectFloats(shape(1, 1), 0.5f)
                .expectFloats(shape(1, 1), 1)
                .expectFloats(shape(1, 1), 0.5f)
                .runFloats();
    }

    @Test
    void couplesTheInputGateWhereItIsLeftOut() {
        // Forget gate sigmoid(0) = 0.5, so the input gate is 0.5 as well.
        of(OperationType.LSTM)
                .floats(shape(1, 1), 1)
                .omitted(OperandType.TENSOR_FLOAT32)
                .floats(shape(1, 1), 0)
                .floats(shape(1, 1), 4)
                .floats(shape(1, 1), 0)
                .omitted(OperandType.TENSOR_FLOAT32)
                .floats(shape(1, 1), 0)
                .floats(shape(1, 1), 0)
                .floats(shape(1, 1), 0)
                .omitted(OperandType.TENSOR_FLOAT32)
                .omitted(OperandType.TENSOR_FLOAT32)
                .omitted(OperandType.TENSOR_FLOAT32)
                .omitted(OperandType.TENSOR_FLOAT32)
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
                .expectFloats(shape(1, 3), 0, 0, 0)
                .expectFloats(shape(1, 1), 1)
                .expectFloats(shape(1, 1), 2)
                .expectFloats(shape(1, 1), 1)
                .runFloats();
    }

    @Test
    void refusesAnInputGateGivenInPart() {
        of(OperationType.LSTM)
                .floats(shape(1, 1), 1)
                .omitted(OperandType.TENSOR_FLOAT32)
                .floats(shape(1, 1), 0)
                .floats(shape(1, 1), 4)
                .floats(shape(1, 1), 0)
                .floats(shape(1, 1), 0)
                .floats(shape(1, 1), 0)
                .floats(shape(1, 1), 0)
                .floats(shape(1, 1), 0)
                .omitted(OperandType.TENSOR_FLOAT32)
                .omitted(OperandType.TENSOR_FLOAT32)
                .omitted(OperandType.TENSOR_FLOAT32)
                .omitted(OperandType.TENSOR_FLOAT32)
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
                .expectFloats(shape(1, 3), 0, 0, 0)
                .expectFloats(shape(1, 1), 1)
                .expectFloats(shape(1, 1), 2)
                .expectFloats(shape(1, 1), 1)
                .illegal("given in part");
    }
}
