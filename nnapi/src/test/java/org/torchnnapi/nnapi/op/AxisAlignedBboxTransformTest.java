package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.op.OperationTester.of;
import static org.torchnnapi.nnapi.op.OperationTester.shape;

import org.junit.jupiter.api.Test;
import org.torchnnapi.nnapi.model.OperationType;

class AxisAlignedBboxTransformTest {
    @Test
    void movesScalesAndClips() {
        // Box of 10 by 20 around (15, 20): moved by half a width, then a box beyond the image of height 40 and width
        // 24.
        of(OperationType.AXIS_ALIGNED_BBOX_TRANSFORM)
                .floats(shape(2, 4), 10, 10, 20, 30, 0, 0, 10, 10)
                .floats(shape(2, 4), 0.5f, 0, 0, 0, 0, 0, (float) Math.log(2), 0)
                .ints(shape(2), 0, 0)
                .floats(shape(1, 2), 40, 24)
                .expectFloats(shape(2, 4), 15, 10, 24, 30, 0, 0, 15, 10)
                .run();
    }

    @Test
    void refusesABoxThatEndsBeforeItStarts() {
        of(OperationType.AXIS_ALIGNED_BBOX_TRANSFORM)
                .floats(shape(1, 4), 10, 10, 5, 30)
                .floats(shape(1, 4), 0, 0, 0, 0)
                .ints(shape(1), 0)
                .floats(shape(1, 2), 40, 40)
                .expectFloats(shape(1, 4), 0, 0, 0, 0)
                .illegal("box: (10.0, 10.0, 5.0, 30.0)");
    }

    @Test
    void refusesABatchWithoutImage() {
        of(OperationType.AXIS_ALIGNED_BBOX_TRANSFORM)
                .floats(shape(1, 4), 1, 1, 5, 3)
                .floats(shape(1, 4), 0, 0, 0, 0)
                .ints(shape(1), 1)
                .floats(shape(1, 2), 40, 40)
                .expectFloats(shape(1, 4), 0, 0, 0, 0)
                .illegal("batch index: 1");
    }
}
