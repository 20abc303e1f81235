package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.op.OperationTester.of;
import static org.torchnnapi.nnapi.op.OperationTester.shape;

import org.junit.jupiter.api.Test;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.OperationType;

class Quantized16BitLstmTest {
    @Test
    void combinesTheGates() {
        OperationTester tester = of(OperationType.QUANTIZED_16BIT_LSTM)
                .quantized(OperandType.TENSOR_QUANT8_ASYMM, 1f / 128, 128, shape(1, 1), 200);
        for (int i = 0; i < 8; i++) {
            tester.quantized(OperandType.TENSOR_QUANT8_ASYMM, 0.5f, 100, shape(1, 1), 100);
        }
        // Weights are zero: all gates are sigmoid(0) = 0.5 and the candidate tanh(0) = 0, so c = 1/2 and h = 0.5
        // tanh(0.5) = 0.231.
        for (int i = 0; i < 4; i++) {
            tester.bias(0.5f / 128, 0);
        }
        tester.quantized(OperandType.TENSOR_QUANT16_SYMM, 1f / 2048, 0, shape(1, 1), 2048)
                .quantized(OperandType.TENSOR_QUANT8_ASYMM, 1f / 128, 128, shape(1, 1), 128)
                .expectQuantized(OperandType.TENSOR_QUANT16_SYMM, 1f / 2048, 0, shape(1, 1), 1024)
                .expectQuantized(OperandType.TENSOR_QUANT8_ASYMM, 1f / 128, 128, shape(1, 1), 128 + 30)
                .run();
    }
}
