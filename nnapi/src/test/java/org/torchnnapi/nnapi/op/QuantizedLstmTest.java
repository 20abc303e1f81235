package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.op.OperationTester.of;
import static org.torchnnapi.nnapi.op.OperationTester.shape;

import org.junit.jupiter.api.Test;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.OperationType;

class QuantizedLstmTest {
    @Test
    void combinesTheGatesWithoutNormalisation() {
        OperationTester tester = of(OperationType.QUANTIZED_LSTM)
                .quantized(OperandType.TENSOR_QUANT8_ASYMM_SIGNED, 1f / 128, 0, shape(1, 1), 64);
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
        tester.omitted(OperandType.TENSOR_QUANT8_SYMM)
                .omitted(OperandType.TENSOR_INT32)
                .quantized(OperandType.TENSOR_QUANT8_ASYMM_SIGNED, 1f / 128, 0, shape(1, 1), 0)
                .quantized(OperandType.TENSOR_QUANT16_SYMM, 1f / 4096, 0, shape(1, 1), 4096);
        for (int i = 0; i < 4; i++) {
            tester.omitted(OperandType.TENSOR_QUANT16_SYMM);
        }
        tester.scalar(0f)
                .scalar(0f)
                .scalar(1f / 4096)
                .scalar(1f / 4096)
                .scalar(1f / 4096)
                .scalar(1f / 4096)
                .scalar(0)
                .scalar(1f / 128)
                .expectQuantized(OperandType.TENSOR_QUANT8_ASYMM_SIGNED, 1f / 128, 0, shape(1, 1), 30)
                .expectQuantized(OperandType.TENSOR_QUANT16_SYMM, 1f / 4096, 0, shape(1, 1), 2048)
                .expectQuantized(OperandType.TENSOR_QUANT8_ASYMM_SIGNED, 1f / 128, 0, shape(1, 1), 30)
                .run();
    }

    /**
     * One unit with gates of 0.5 and a cell of 8, which becomes 4, projected to two outputs; inputs and state add
     * nothing.
     */
    private static OperationTester projected(float clip, int first, int second) {
        OperationTester tester = of(OperationType.QUANTIZED_LSTM)
                .quantized(OperandType.TENSOR_QUANT8_ASYMM_SIGNED, 1f / 128, 7, shape(1, 1), 7);
        for (int i = 0; i < 4; i++) {
            tester.quantized(OperandType.TENSOR_QUANT8_SYMM, 1f / 128, 0, shape(1, 1), 1);
        }
        for (int i = 0; i < 4; i++) {
            tester.quantized(OperandType.TENSOR_QUANT8_SYMM, 1f / 128, 0, shape(1, 2), 1, 1);
        }
        for (int i = 0; i < 3; i++) {
            tester.omitted(OperandType.TENSOR_QUANT16_SYMM);
        }
        for (int i = 0; i < 4; i++) {
            tester.ints(shape(1), 0);
        }
        tester.quantized(OperandType.TENSOR_QUANT8_SYMM, 0.01f, 0, shape(2, 1), 10, -20)
                .ints(shape(2), 100, 0)
                .quantized(OperandType.TENSOR_QUANT8_ASYMM_SIGNED, 0.005f, 5, shape(1, 2), 5, 5)
                .quantized(OperandType.TENSOR_QUANT16_SYMM, 1f / 2048, 0, shape(1, 1), 16384);
        for (int i = 0; i < 4; i++) {
            tester.omitted(OperandType.TENSOR_QUANT16_SYMM);
        }
        return tester.scalar(0f)
                .scalar(clip)
                .scalar(0f)
                .scalar(0f)
                .scalar(0f)
                .scalar(0f)
                .scalar(3)
                .scalar(1f / 128)
                .expectQuantized(OperandType.TENSOR_QUANT8_ASYMM_SIGNED, 0.005f, 5, shape(1, 2), first, second)
                .expectQuantized(OperandType.TENSOR_QUANT16_SYMM, 1f / 2048, 0, shape(1, 1), 8192)
                .expectQuantized(OperandType.TENSOR_QUANT8_ASYMM_SIGNED, 0.005f, 5, shape(1, 2), first, second);
    }

    @Test
    void projectsTheHiddenState() {
        // h = 0.5 tanh(4) is 64 steps of 1/128; 64 * 10 + 100 and 64 * -20 in steps of 0.01 / 128 are 11.56 and -20
        // steps of 0.005 from 5.
        projected(0, 17, -15).run();
    }

    @Test
    void clipsTheProjection() {
        // 0.05 is 10 steps of 0.005, to both sides of the zero point.
        projected(0.05f, 15, -5).run();
    }
}
