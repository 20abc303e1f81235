package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.FeatureLevel.V1_2;
import static org.torchnnapi.nnapi.op.OperationTester.of;
import static org.torchnnapi.nnapi.op.OperationTester.shape;

import org.junit.jupiter.api.Test;
import org.torchnnapi.nnapi.model.OperationType;

class HeatmapMaxKeypointTest {
    @Test
    void refinesTheMaximum() {
        of(OperationType.HEATMAP_MAX_KEYPOINT)
                .floats(shape(1, 3, 3, 1), 0, 1, 0, 1, 4, 2, 0, 1, 0)
                .floats(shape(1, 4), 0, 0, 30, 60)
                .scalar(false)
                .expectFloats(shape(1, 1), 4.025f)
                .expectFloats(shape(1, 1, 2), 16, 30)
                .needs(V1_2)
                .runFloats();
    }

    @Test
    void aFlatMapKeepsItsFirstPixel() {
        of(OperationType.HEATMAP_MAX_KEYPOINT)
                .floats(shape(1, 1, 2, 2), 1, 1, 1, 1)
                .floats(shape(1, 4), 0, 0, 4, 4)
                .scalar(true)
                .expectFloats(shape(1, 1), 1)
                .expectFloats(shape(1, 1, 2), 1, 1)
                .runFloats();
    }

    @Test
    void rejectsABoxOfNegativeSize() {
        of(OperationType.HEATMAP_MAX_KEYPOINT)
                .floats(shape(1, 2, 2, 1), 1, 1, 1, 1)
                .floats(shape(1, 4), 4, 0, 0, 4)
                .scalar(false)
                .expectFloats(shape(1, 1), 1)
                .expectFloats(shape(1, 1, 2), 1, 1)
                .illegal("size of box 0: -4.0 x 4.0");
    }
}
