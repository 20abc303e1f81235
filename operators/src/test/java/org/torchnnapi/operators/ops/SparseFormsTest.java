package org.torchnnapi.operators.ops;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.torchnnapi.operators.ops.Op.expect;
import static org.torchnnapi.operators.ops.Op.floats;
import static org.torchnnapi.operators.ops.Op.ints;
import static org.torchnnapi.operators.ops.Op.longs;
import static org.torchnnapi.operators.ops.Op.sizes;
import static org.torchnnapi.operators.ops.Op.tensor;
import static org.torchnnapi.operators.ops.Op.vector;

import org.junit.jupiter.api.Test;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;

/** Sparse tensors. Expected values are what genuine PyTorch's give after to_dense(). */
class SparseFormsTest {
    private static final Tensor PLACES = tensor("view", longs(0, 1, 1, 2, 0, 0), ints(2, 3));

    @Test
    void valuesOfOnePlaceAreAddedUp() {
        expect(tensor("sparse_coo_tensor.indices", PLACES, vector(3, 4, 5)), sizes(2, 3), 0, 0, 3, 9, 0, 0);
        expect(
                tensor("sparse_coo_tensor.indices_size", PLACES, vector(3, 4, 5), ints(3, 3)),
                sizes(3, 3),
                0,
                0,
                3,
                9,
                0,
                0,
                0,
                0,
                0);
        expect(
                tensor("sparse_coo_tensor.indices", longsOf(1, 0), floats(sizes(2, 2), 1, 2, 3, 4)),
                sizes(2, 2),
                3,
                4,
                1,
                2);
        assertThrows(
                IllegalArgumentException.class,
                () -> tensor("sparse_coo_tensor.indices_size", PLACES, vector(3, 4, 5), ints(2, 2)));
        assertThrows(IllegalArgumentException.class, () -> tensor("sparse_coo_tensor.indices", PLACES, vector(3, 4)));
        assertEquals(DType.FLOAT32, tensor("sparse_coo_tensor.size", ints(2, 3)).dtype());
    }

    @Test
    void coordinatesAndValuesAreThoseThatAreNotZero() {
        Tensor sparse = tensor("to_sparse", floats(sizes(2, 3), 0, 0, 3, 9, 0, 0));
        expect(tensor("indices", tensor("coalesce", sparse)), sizes(2, 2), 0, 1, 2, 0);
        expect(tensor("values", sparse), sizes(2), 3, 9);
        assertEquals(2L, Op.call("_nnz", sparse));
        expect(tensor("_sparse_mm", sparse, floats(sizes(3, 1), 1, 2, 3)), sizes(2, 1), 9, 9);
    }

    private static Tensor longsOf(long... values) {
        return tensor("view", longs(values), ints(1, values.length));
    }

    @Test
    void rowsAreToldByTheirFirstPlaceOrByEach() {
        expect(
                tensor("_convert_indices_from_coo_to_csr", longs(0, 0, 2, 3), 5L),
                DType.INT64,
                sizes(6),
                0,
                2,
                2,
                3,
                4,
                4);
        expect(tensor("_convert_indices_from_coo_to_csr", longs(), 3L, true), DType.INT32, sizes(4), 0, 0, 0, 0);
        expect(
                tensor("_convert_indices_from_csr_to_coo", longs(0, 2, 2, 3), longs(1, 0, 2)),
                DType.INT64,
                sizes(2, 3),
                0,
                0,
                2,
                1,
                0,
                2);
        expect(
                tensor("_convert_indices_from_csr_to_coo", longs(0, 2, 2, 3), longs(1, 0, 2), true, true),
                DType.INT32,
                sizes(2, 3),
                1,
                0,
                2,
                0,
                0,
                2);
    }
}
