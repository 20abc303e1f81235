package org.torchnnapi.nnapi.op;

import static org.torchnnapi.nnapi.model.FeatureLevel.V1_1;
import static org.torchnnapi.nnapi.op.OperationTester.of;
import static org.torchnnapi.nnapi.op.OperationTester.shape;

import org.junit.jupiter.api.Test;
import org.torchnnapi.nnapi.model.OperationType;

class StridedSliceTest {
    @Test
    void strides() {
        of(OperationType.STRIDED_SLICE)
                .floats(shape(5), 0, 1, 2, 3, 4)
                .ints(shape(1), 1)
                .ints(shape(1), 5)
                .ints(shape(1), 2)
                .scalars(0, 0, 0)
                .expectFloats(shape(2), 1, 3)
                .needs(V1_1)
                .runFloats();
    }

    @Test
    void backwards() {
        of(OperationType.STRIDED_SLICE)
                .floats(shape(5), 0, 1, 2, 3, 4)
                .ints(shape(1), -1)
                .ints(shape(1), -4)
                .ints(shape(1), -2)
                .scalars(0, 0, 0)
                .expectFloats(shape(2), 4, 2)
                .run();
    }

    @Test
    void masks() {
        of(OperationType.STRIDED_SLICE)
                .floats(shape(2, 3), 0, 1, 2, 3, 4, 5)
                .ints(shape(2), 1, 1)
                .ints(shape(2), 2, 2)
                .ints(shape(2), 1, 1)
                .scalars(2, 2, 1)
                .expectFloats(shape(3), 3, 4, 5)
                .run();
    }

    @Test
    void backwardsWithMasks() {
        of(OperationType.STRIDED_SLICE)
                .floats(shape(3), 0, 1, 2)
                .ints(shape(1), 0)
                .ints(shape(1), 0)
                .ints(shape(1), -1)
                .scalars(1, 1, 0)
                .expectFloats(shape(3), 2, 1, 0)
                .run();
    }

    @Test
    void rejectsAStrideOfZero() {
        of(OperationType.STRIDED_SLICE)
                .floats(shape(2), 0, 1)
                .ints(shape(1), 0)
                .ints(shape(1), 2)
                .ints(shape(1), 0)
                .scalars(0, 0, 0)
                .expectFloats(shape(2), 0, 1)
                .illegal("stride of axis 0: 0 (expected: not 0)");
    }

    @Test
    void rejectsDroppingAnAxisOfTwo() {
        of(OperationType.STRIDED_SLICE)
                .floats(shape(2), 0, 1)
                .ints(shape(1), 0)
                .ints(shape(1), 2)
                .ints(shape(1), 1)
                .scalars(0, 0, 1)
                .expectFloats(shape(1), 0)
                .illegal("elements along axis 0: 2 (expected: 1");
    }
}
