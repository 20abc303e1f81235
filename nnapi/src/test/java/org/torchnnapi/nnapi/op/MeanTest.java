package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.FeatureLevel.V1_1;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_QUANT8_ASYMM;
import static org.torchnnapi.nnapi.op.OperationTester.of;
import static org.torchnnapi.nnapi.op.OperationTester.shape;

import org.junit.jupiter.api.Test;
import org.torchnnapi.nnapi.model.OperationType;

class MeanTest {
    @Test
    void alongAxes() {
        of(OperationType.MEAN)
                .floats(shape(2, 2, 2), 1, 2, 3, 4, 5, 6, 7, 8)
                .ints(shape(2), 0, 2)
                .scalar(0)
                .expectFloats(shape(2), 3.5f, 5.5f)
                .needs(V1_1)
                .runFloats();
    }

    @Test
    void keepsDimensions() {
        of(OperationType.MEAN)
                .quantized(TENSOR_QUANT8_ASYMM, 0.5f, 3, shape(2, 2), 10, 20, 30, 42)
                .ints(shape(1), 1)
                .scalar(1)
                .expectQuantized(TENSOR_QUANT8_ASYMM, 0.5f, 3, shape(2, 1), 15, 36)
                .run();
    }

    @Test
    void anAxisNamedTwice() {
        of(OperationType.MEAN)
                .floats(shape(2, 2), 1, 2, 3, 4)
                .ints(shape(2), 1, -1)
                .scalar(0)
                .expectFloats(shape(2), 1.5f, 3.5f)
                .runFloats();
    }
}
