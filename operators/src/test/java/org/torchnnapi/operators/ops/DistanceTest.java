package org.torchnnapi.operators.ops;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.torchnnapi.operators.ops.Op.expect;
import static org.torchnnapi.operators.ops.Op.floats;
import static org.torchnnapi.operators.ops.Op.sizes;
import static org.torchnnapi.operators.ops.Op.tensor;
import static org.torchnnapi.operators.ops.Op.vector;

import org.junit.jupiter.api.Test;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;

/** Expected values are genuine PyTorch's. */
class DistanceTest {
    @Test
    void betweenRows() {
        expect(
                tensor("cdist", floats(sizes(2, 2), 0, 0, 1, 1), floats(sizes(1, 2), 3, 4), 2.0),
                sizes(2, 1),
                5,
                3.605551242828369);
        expect(
                tensor("pairwise_distance", floats(sizes(1, 2), 0, 0), floats(sizes(1, 2), 3, 4), 2.0, 1e-6, false),
                sizes(1),
                4.999998569488525);
        expect(
                tensor("cosine_similarity", floats(sizes(1, 2), 1, 2), floats(sizes(1, 2), 3, 1), 1L, 1e-8),
                sizes(1),
                0.7071067094802856);
        assertThrows(IllegalArgumentException.class, () -> tensor("cdist", vector(1), vector(1), 2.0));
    }

    @Test
    void wholeNumbersHaveDistances() {
        expect(
                tensor("pairwise_distance", Tensor.of(new long[] {1, 2}, 1, 2), Tensor.of(new long[] {4, 6}, 1, 2)),
                DType.FLOAT32,
                sizes(1),
                4.99999857);
    }
}
