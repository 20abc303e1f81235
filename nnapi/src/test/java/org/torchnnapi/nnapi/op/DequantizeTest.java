package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.FeatureLevel.V1_0;
import static org.torchnnapi.nnapi.model.FeatureLevel.V1_2;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_QUANT8_ASYMM;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_QUANT8_SYMM;
import static org.torchnnapi.nnapi.op.OperationTester.of;
import static org.torchnnapi.nnapi.op.OperationTester.shape;

import org.junit.jupiter.api.Test;
import org.torchnnapi.nnapi.model.ChannelQuantization;
import org.torchnnapi.nnapi.model.OperationType;

class DequantizeTest {
    @Test
    void asymmetric() {
        of(OperationType.DEQUANTIZE)
                .quantized(TENSOR_QUANT8_ASYMM, 0.5f, 10, shape(3), 10, 12, 0)
                .expectFloats(shape(3), 0, 1, -5)
                .needs(V1_0)
                .runFloats();
    }

    @Test
    void symmetric() {
        of(OperationType.DEQUANTIZE)
                .quantized(TENSOR_QUANT8_SYMM, 0.5f, 0, shape(2), -128, 127)
                .expectFloats(shape(2), -64, 63.5f)
                .needs(V1_2)
                .runFloats();
    }

    @Test
    void perChannel() {
        of(OperationType.DEQUANTIZE)
                .perChannel(new ChannelQuantization(1, new float[] {0.5f, 2}), shape(2, 2), 1, 1, -2, -2)
                .expectFloats(shape(2, 2), 0.5f, 2, -1, -4)
                .needs(V1_2)
                .runFloats();
    }
}
