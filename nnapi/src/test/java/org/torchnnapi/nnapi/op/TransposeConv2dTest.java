package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.FeatureLevel.V1_2;
import static org.torchnnapi.nnapi.op.OperationTester.of;
import static org.torchnnapi.nnapi.op.OperationTester.shape;

import org.junit.jupiter.api.Test;
import org.torchnnapi.nnapi.model.OperationType;

class TransposeConv2dTest {
    @Test
    void explicit() {
        of(OperationType.TRANSPOSE_CONV_2D)
                .floats(shape(1, 1, 2, 1), 1, 2)
                .floats(shape(1, 1, 3, 1), 1, 10, 100)
                .floats(shape(1), 0)
                .scalars(0, 0, 0, 0, 2, 1, 0)
                .scalar(false)
                .expectFloats(shape(1, 1, 5, 1), 1, 10, 102, 20, 200)
                .needs(V1_2)
                .runFloats();
    }

    @Test
    void implicitCropsToTheShape() {
        of(OperationType.TRANSPOSE_CONV_2D)
                .floats(shape(1, 1, 2, 1), 1, 2)
                .floats(shape(1, 1, 3, 1), 1, 10, 100)
                .floats(shape(1), 0)
                .ints(shape(4), 1, 1, 4, 1)
                .scalars(1, 2, 1, 0)
                .scalar(false)
                .expectFloats(shape(1, 1, 4, 1), 1, 10, 102, 20)
                .runFloats();
    }

    @Test
    void nchw() {
        of(OperationType.TRANSPOSE_CONV_2D)
                .floats(shape(1, 2, 1, 1), 1, 2)
                .floats(shape(1, 1, 1, 2), 1, 10)
                .floats(shape(1), 3)
                .scalars(0, 0, 0, 0, 1, 1, 0)
                .scalar(true)
                .expectFloats(shape(1, 1, 1, 1), 24)
                .runFloats();
    }

    @Test
    void rejectsAnotherDepth() {
        of(OperationType.TRANSPOSE_CONV_2D)
                .floats(shape(1, 1, 1, 2), 1, 2)
                .floats(shape(1, 1, 1, 1), 1)
                .floats(shape(1), 0)
                .scalars(0, 0, 0, 0, 1, 1, 0)
                .scalar(false)
                .expectFloats(shape(1, 1, 1, 1), 0)
                .illegal("filter depth: 1");
    }
}
