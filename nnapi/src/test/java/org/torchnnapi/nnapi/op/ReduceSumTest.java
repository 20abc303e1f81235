package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.FeatureLevel.V1_2;
import static org.torchnnapi.nnapi.op.OperationTester.of;
import static org.torchnnapi.nnapi.op.OperationTester.shape;

import org.junit.jupiter.api.Test;
import org.torchnnapi.nnapi.model.OperationType;

class ReduceSumTest {
    @Test
    void alongAnAxis() {
        of(OperationType.REDUCE_SUM)
                .floats(shape(2, 3), 1, 2, 3, 4, 5, 6)
                .ints(shape(1), 1)
                .scalar(false)
                .expectFloats(shape(2), 6, 15)
                .needs(V1_2)
                .runFloats();
    }

    @Test
    void keepsDimensions() {
        of(OperationType.REDUCE_SUM)
                .floats(shape(2, 3), 1, 2, 3, 4, 5, 6)
                .ints(shape(2), -2, 0)
                .scalar(true)
                .expectFloats(shape(1, 3), 5, 7, 9)
                .runFloats();
    }

    @Test
    void allAxes() {
        of(OperationType.REDUCE_SUM)
                .floats(shape(2, 2), 1, 2, 3, 4)
                .ints(shape(2), 0, 1)
                .scalar(false)
                .expectFloats(shape(1), 10)
                .runFloats();
    }

    @Test
    void rejectsAnAxisOutOfRange() {
        of(OperationType.REDUCE_SUM)
                .floats(shape(2, 2), 1, 2, 3, 4)
                .ints(shape(1), 2)
                .scalar(false)
                .expectFloats(shape(2), 3, 7)
                .illegal("axis: 2 (expected: -2 to 1)");
    }

    @Test
    void rejectsRank5() {
        of(OperationType.REDUCE_SUM)
                .floats(shape(1, 1, 1, 1, 1), 1)
                .ints(shape(1), 0)
                .scalar(false)
                .expectFloats(shape(1, 1, 1, 1), 1)
                .illegal("rank of input 0 (input): 5");
    }
}
