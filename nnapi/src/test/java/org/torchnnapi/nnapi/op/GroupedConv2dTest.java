package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.FeatureLevel.V1_2;
import static org.torchnnapi.nnapi.op.OperationTester.of;
import static org.torchnnapi.nnapi.op.OperationTester.shape;

import org.junit.jupiter.api.Test;
import org.torchnnapi.nnapi.model.OperationType;

class GroupedConv2dTest {
    @Test
    void implicit() {
        of(OperationType.GROUPED_CONV_2D)
                .floats(shape(1, 1, 1, 4), 1, 2, 3, 4)
                .floats(shape(2, 1, 1, 2), 10, 1, 100, 1000)
                .floats(shape(2), 0, 1)
                .scalars(2, 1, 1, 2, 0)
                .scalar(false)
                .expectFloats(shape(1, 1, 1, 2), 12, 4301)
                .needs(V1_2)
                .runFloats();
    }

    @Test
    void explicitNchw() {
        of(OperationType.GROUPED_CONV_2D)
                .floats(shape(1, 2, 1, 1), 1, 2)
                .floats(shape(2, 1, 1, 1), 10, 100)
                .floats(shape(2), 0, 0)
                .scalars(0, 0, 0, 0, 1, 1, 2, 1)
                .scalar(true)
                .expectFloats(shape(1, 2, 1, 1), 10, 200)
                .runFloats();
    }

    @Test
    void rejectsGroupsThatDoNotDivide() {
        of(OperationType.GROUPED_CONV_2D)
                .floats(shape(1, 1, 1, 2), 1, 2)
                .floats(shape(3, 1, 1, 1), 1, 1, 1)
                .floats(shape(3), 0, 0, 0)
                .scalars(2, 1, 1, 2, 0)
                .scalar(false)
                .expectFloats(shape(1, 1, 1, 3), 0, 0, 0)
                .illegal("filters: 3");
    }
}
