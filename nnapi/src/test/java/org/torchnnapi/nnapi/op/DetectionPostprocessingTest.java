package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.op.OperationTester.of;
import static org.torchnnapi.nnapi.op.OperationTester.shape;

import org.junit.jupiter.api.Test;
import org.torchnnapi.nnapi.model.OperationType;

class DetectionPostprocessingTest {
    private static OperationTester detections(boolean regular) {
        // Two anchors of 2 by 2 that coincide, and one apart; no regression.
        return of(OperationType.DETECTION_POSTPROCESSING)
                .floats(shape(1, 3, 2), 0, 0.9f, 0, 0.8f, 0, 0.7f)
                .floats(shape(1, 3, 4), new float[12])
                .floats(shape(3, 4), 1, 1, 2, 2, 1, 1, 2, 2, 9, 9, 2, 2)
                .scalar(1f)
                .scalar(1f)
                .scalar(1f)
                .scalar(1f)
                .scalar(regular)
                .scalar(3)
                .scalar(1)
                .scalar(3)
                .scalar(0.1f)
                .scalar(0.5f)
                .scalar(true);
    }

    @Test
    void suppressesClassByClass() {
        detections(true)
                .expectFloats(shape(1, 3), 0.9f, 0.7f, 0)
                .expectFloats(shape(1, 3, 4), 0, 0, 2, 2, 8, 8, 10, 10, 0, 0, 0, 0)
                .expectInts(shape(1, 3), 1, 1, 0)
                .expectInts(shape(1), 2)
                .run();
    }

    @Test
    void suppressesByTheBestClass() {
        detections(false)
                .expectFloats(shape(1, 3), 0.9f, 0.7f, 0)
                .expectFloats(shape(1, 3, 4), 0, 0, 2, 2, 8, 8, 10, 10, 0, 0, 0, 0)
                .expectInts(shape(1, 3), 1, 1, 0)
                .expectInts(shape(1), 2)
                .run();
    }
}
