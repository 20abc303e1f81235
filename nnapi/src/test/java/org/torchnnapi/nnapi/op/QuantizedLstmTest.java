package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.op.OperationTester.of;
import static org.torchnnapi.nnapi.op.OperationTester.shape;

import org.junit.jupiter.api.Test;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.OperationType;

class QuantizedLstmTest {
    @Test
    void combinesTheGatesWithoutNormalisation() {
        OperationTester tester = of(OperationType.QUANTIZED_LSTM).quantized(OperandType.TENSOR_QUANT8_ASYMM_SIGNED, 1f / 128, 0, shape(1, 1), 64);
        for (int i = 0; i < 8; i++) {
            tester.quantized(OperandType.TENSOR_QUANT8_SYMM, 1f / 128, 0, shape(1, 1), 0);
        }
        for (int i = 0; i < 3; i++) {
            tester.omitted(OperandType.TENSOR_QUANT16_SYMM);
        }
        for (int i = 0; i < 4; i++) {
            tester.ints(shape(1), 0);
        }
        // Gates of 0.5: c = 0.5 * 1, h = 0.5 tanh(0.5) = 0.231 in steps of 1/128.
        tester.omitted(OperandType.TENSOR_QUANT8_SYMM).omitted(OperandType.TENSOR_INT32)
                .quantized(OperandType.TENSOR_QUANT8_ASYMM_SIGNED, 1f / 128, 0, shape(1, 1), 0)
                .quantized(OperandType.TENSOR_QUANT16_SYMM, 1f / 4096, 0, shape(1, 1), 4096);
        for (int i = 0; i < 4; i++) {
            tester.omitted(OperandType.TENSOR_QUANT16_SYMM);
        }
        tester.scalar(0f).scalar(0f).scalar(1f / 4096).scalar(1f / 4096).scalar(1f / 4096).scalar(1f / 4096).scalar(0).scalar(1f / 128)
                .expectQuantized(OperandType.TENSOR_QUANT8_ASYMM_SIGNED, 1f / 128, 0, shape(1, 1), 30)
                .expectQuantized(OperandType.TENSOR_QUANT16_SYMM, 1f / 4096, 0, shape(1, 1), 2048)
                .expectQuantized(OperandType.TENSOR_QUANT8_ASYMM_SIGNED, 1f / 128, 0, shape(1, 1), 30).run();
    }
}
