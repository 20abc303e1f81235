package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.FeatureLevel.V1_2;
import static org.torchnnapi.nnapi.model.FeatureLevel.V1_3;
import static org.torchnnapi.nnapi.op.OperationTester.of;
import static org.torchnnapi.nnapi.op.OperationTester.shape;

import org.junit.jupiter.api.Test;
import org.torchnnapi.nnapi.model.OperationType;

class ResizeNearestNeighborTest {
    @Test
    void bySize() {
        of(OperationType.RESIZE_NEAREST_NEIGHBOR)
                .floats(shape(1, 1, 2, 1), 1, 2)
                .scalars(4, 1)
                .scalar(false)
                .expectFloats(shape(1, 1, 4, 1), 1, 1, 2, 2)
                .needs(V1_2)
                .runFloats();
    }

    @Test
    void byFactor() {
        of(OperationType.RESIZE_NEAREST_NEIGHBOR)
                .floats(shape(1, 1, 1, 4), 1, 2, 3, 4)
                .scalar(0.5f)
                .scalar(1f)
                .scalar(true)
                .expectFloats(shape(1, 1, 1, 2), 1, 3)
                .runFloats();
    }

    @Test
    void alignedCorners() {
        of(OperationType.RESIZE_NEAREST_NEIGHBOR)
                .floats(shape(1, 1, 3, 1), 1, 2, 3)
                .scalars(2, 1)
                .scalar(false)
                .scalar(true)
                .scalar(false)
                .expectFloats(shape(1, 1, 2, 1), 1, 3)
                .needs(V1_3)
                .runFloats();
    }

    @Test
    void halfPixelCenters() {
        of(OperationType.RESIZE_NEAREST_NEIGHBOR)
                .floats(shape(1, 1, 4, 1), 1, 2, 3, 4)
                .scalars(2, 1)
                .scalar(false)
                .scalar(false)
                .scalar(true)
                .expectFloats(shape(1, 1, 2, 1), 2, 4)
                .runFloats();
    }

    @Test
    void rejectsBothFlags() {
        of(OperationType.RESIZE_NEAREST_NEIGHBOR)
                .floats(shape(1, 1, 1, 1), 1)
                .scalars(2, 1)
                .scalar(false)
                .scalar(true)
                .scalar(true)
                .expectFloats(shape(1, 1, 2, 1), 1, 1)
                .illegal("at most one");
    }
}
