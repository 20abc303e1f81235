package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.op.OperationTester.of;
import static org.torchnnapi.nnapi.op.OperationTester.shape;

import org.junit.jupiter.api.Test;
import org.torchnnapi.nnapi.model.OperationType;

class RoiAlignTest {
    @Test
    void averagesSamplesBetweenPixels() {
        // A 2 by 2 map; one bin with one sample in the middle is the mean of the four pixels.
        of(OperationType.ROI_ALIGN)
                .floats(shape(1, 2, 2, 1), 1, 2, 3, 4)
                .floats(shape(1, 4), 0, 0, 1, 1)
                .ints(shape(1), 0)
                .scalar(1)
                .scalar(1)
                .scalar(1f)
                .scalar(1f)
                .scalar(1)
                .scalar(1)
                .scalar(false)
                .expectFloats(shape(1, 1, 1, 1), 2.5f)
                .runFloats();
    }

    @Test
    void refusesARegionOutsideTheMap() {
        of(OperationType.ROI_ALIGN)
                .floats(shape(1, 2, 2, 1), 1, 2, 3, 4)
                .floats(shape(1, 4), 0, 0, 3, 1)
                .ints(shape(1), 0)
                .scalar(1)
                .scalar(1)
                .scalar(1f)
                .scalar(1f)
                .scalar(1)
                .scalar(1)
                .scalar(false)
                .expectFloats(shape(1, 1, 1, 1), 0)
                .illegal("region 0");
    }
}
