package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.FeatureLevel.V1_0;
import static org.torchnnapi.nnapi.model.FeatureLevel.V1_2;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_QUANT8_ASYMM;
import static org.torchnnapi.nnapi.op.OperationTester.of;
import static org.torchnnapi.nnapi.op.OperationTester.shape;

import org.junit.jupiter.api.Test;
import org.torchnnapi.nnapi.model.OperationType;

class L2NormalizationTest {
    @Test
    void lastAxis() {
        of(OperationType.L2_NORMALIZATION)
                .floats(shape(1, 1, 2, 2), 3, 4, 0, 0)
                .expectFloats(shape(1, 1, 2, 2), 0.6f, 0.8f, 0, 0)
                .needs(V1_0)
                .runFloats();
    }

    @Test
    void anyAxis() {
        of(OperationType.L2_NORMALIZATION)
                .floats(shape(2, 1), 3, 4)
                .scalar(0)
                .expectFloats(shape(2, 1), 0.6f, 0.8f)
                .needs(V1_2)
                .runFloats();
    }

    @Test
    void quantized() {
        of(OperationType.L2_NORMALIZATION)
                .quantized(TENSOR_QUANT8_ASYMM, 0.5f, 100, shape(1, 1, 1, 2), 106, 92)
                .expectQuantized(TENSOR_QUANT8_ASYMM, 1f / 128, 128, shape(1, 1, 1, 2), 205, 26)
                .run();
    }
}
