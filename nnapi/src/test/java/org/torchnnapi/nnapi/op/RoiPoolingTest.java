package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.op.OperationTester.of;
import static org.torchnnapi.nnapi.op.OperationTester.shape;

import org.junit.jupiter.api.Test;
import org.torchnnapi.nnapi.model.OperationType;

class RoiPoolingTest {
    @Test
    void takesTheLargestPixelOfEachBin() {
        of(OperationType.ROI_POOLING)
                .floats(shape(1, 2, 4, 1), 1, 2, 3, 4, 5, 6, 7, 8)
                .floats(shape(1, 4), 0, 0, 3, 1)
                .ints(shape(1), 0)
                .scalar(1)
                .scalar(2)
                .scalar(1f)
                .scalar(1f)
                .scalar(false)
                .expectFloats(shape(1, 1, 2, 1), 6, 8)
                .runFloats();
    }

    @Test
    void takesChannelsFirst() {
        of(OperationType.ROI_POOLING)
                .floats(shape(1, 1, 2, 4), 1, 2, 3, 4, 5, 6, 7, 8)
                .floats(shape(1, 4), 0, 0, 3, 1)
                .ints(shape(1), 0)
                .scalar(2)
                .scalar(1)
                .scalar(1f)
                .scalar(1f)
                .scalar(true)
                .expectFloats(shape(1, 1, 2, 1), 4, 8)
                .runFloats();
    }
}
