package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.FeatureLevel.V1_0;
import static org.torchnnapi.nnapi.model.FeatureLevel.V1_2;
import static org.torchnnapi.nnapi.model.FeatureLevel.V1_3;
import static org.torchnnapi.nnapi.model.OperandType.TENSOR_QUANT8_ASYMM;
import static org.torchnnapi.nnapi.op.OperationTester.of;
import static org.torchnnapi.nnapi.op.OperationTester.shape;

import org.junit.jupiter.api.Test;
import org.torchnnapi.nnapi.model.OperationType;

class ResizeBilinearTest {
    @Test
    void bySize() {
        of(OperationType.RESIZE_BILINEAR)
                .floats(shape(1, 1, 2, 1), 1, 3)
                .scalars(4, 1)
                .expectFloats(shape(1, 1, 4, 1), 1, 2, 3, 3)
                .needs(V1_0)
                .runFloats();
    }

    @Test
    void alignedCorners() {
        of(OperationType.RESIZE_BILINEAR)
                .floats(shape(1, 1, 2, 1), 1, 4)
                .scalars(4, 1)
                .scalar(false)
                .scalar(true)
                .scalar(false)
                .expectFloats(shape(1, 1, 4, 1), 1, 2, 3, 4)
                .needs(V1_3)
                .runFloats();
    }

    @Test
    void halfPixelCenters() {
        of(OperationType.RESIZE_BILINEAR)
                .floats(shape(1, 1, 2, 1), 0, 4)
                .scalars(4, 1)
                .scalar(false)
                .scalar(false)
                .scalar(true)
                .expectFloats(shape(1, 1, 4, 1), 0, 1, 3, 4)
                .runFloats();
    }

    @Test
    void quantized() {
        of(OperationType.RESIZE_BILINEAR)
                .quantized(TENSOR_QUANT8_ASYMM, 0.5f, 10, shape(1, 1, 1, 2), 20, 40)
                .scalar(2f)
                .scalar(1f)
                .scalar(true)
                .expectQuantized(TENSOR_QUANT8_ASYMM, 0.5f, 10, shape(1, 1, 1, 4), 20, 30, 40, 40)
                .needs(V1_2)
                .run();
    }

    @Test
    void rejectsASizeOfZero() {
        of(OperationType.RESIZE_BILINEAR)
                .floats(shape(1, 1, 2, 1), 1, 3)
                .scalars(0, 1)
                .expectFloats(shape(1, 1, 1, 1), 1)
                .illegal("0 (expected:");
    }
}
