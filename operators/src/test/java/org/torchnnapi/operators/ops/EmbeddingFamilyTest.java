package org.torchnnapi.operators.ops;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.torchnnapi.operators.ops.Op.expect;
import static org.torchnnapi.operators.ops.Op.floats;
import static org.torchnnapi.operators.ops.Op.sizes;
import static org.torchnnapi.operators.ops.Op.tensor;
import static org.torchnnapi.operators.ops.Op.tensors;

import org.junit.jupiter.api.Test;
import org.torchnnapi.tensor.Tensor;

/** Embeddings. Expected values are genuine PyTorch's. */
class EmbeddingFamilyTest {
    private static final Tensor TABLE =
            floats(sizes(4, 3), 0.625, 1, -0.625, 0.25, -1.375, 1.375, -0.875, 0.25, -0.5, -1.75, -0.625, -0.375);

    @Test
    void rows() {
        expect(
                tensor("embedding", TABLE, Tensor.of(new long[] {1, 3, 0, 0}, 2, 2), -1L, false, false),
                sizes(2, 2, 3),
                0.25,
                -1.375,
                1.375,
                -1.75,
                -0.625,
                -0.375,
                0.625,
                1,
                -0.625,
                0.625,
                1,
                -0.625);
    }

    @Test
    void bagsAreSummedOrAveraged() {
        Tensor table = floats(sizes(3, 2), 1, 2, 3, 4, 5, 6);
        Tensor indices = Tensor.of(new long[] {0, 2, 1}, 3);
        Tensor offsets = Tensor.of(new long[] {0, 2}, 2);
        expect(tensors("embedding_bag", table, indices, offsets, false, 0L)[0], sizes(2, 2), 6, 8, 3, 4);
        expect(tensors("embedding_bag", table, indices, offsets, false, 1L)[0], sizes(2, 2), 3, 4, 3, 4);
        assertThrows(
                IndexOutOfBoundsException.class,
                () -> tensor("embedding", table, Tensor.of(new long[] {3}, 1), -1L, false, false));
    }
}
