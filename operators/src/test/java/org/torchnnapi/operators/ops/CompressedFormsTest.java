package org.torchnnapi.operators.ops;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
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

/** Compressed rows and columns. Expected values are what genuine PyTorch's give after to_dense(). */
class CompressedFormsTest {
    private static final Tensor ENDS = longs(0, 2, 2, 3);
    private static final Tensor PLACES = longs(0, 3, 1);
    private static final Tensor VALUES = vector(1, 2, 3);

    @Test
    void rowsOrColumnsAreTold() {
        double[] rows = {1, 0, 0, 2, 0, 0, 0, 0, 0, 3, 0, 0};
        double[] columns = {1, 0, 0, 0, 0, 3, 0, 0, 0, 2, 0, 0, 0, 0, 0};
        expect(tensor("sparse_csr_tensor.crow_col_value_size", ENDS, PLACES, VALUES, ints(3, 4)), sizes(3, 4), rows);
        expect(tensor("sparse_csr_tensor.crow_col_value", ENDS, PLACES, VALUES), sizes(3, 4), rows);
        expect(tensor("sparse_csc_tensor.ccol_row_value_size", ENDS, PLACES, VALUES, ints(5, 3)), sizes(5, 3), columns);
        expect(
                tensor("sparse_compressed_tensor.comp_plain_value_size", ENDS, PLACES, VALUES, ints(3, 4), 7L, 2L),
                DType.FLOAT64,
                sizes(3, 4),
                rows);
        expect(
                tensor("_sparse_compressed_tensor_unsafe", ENDS, PLACES, VALUES, ints(5, 3), null, 4L),
                sizes(5, 3),
                columns);
        expect(tensor("sparse_csr_tensor.crow_col_value", longs(0), longs(), vector()), sizes(0, 0));
    }

    @Test
    void blocksAreLaidSideBySide() {
        Tensor blocks = floats(sizes(3, 1, 2), 1, 2, 3, 4, 5, 6);
        double[] rows = {1, 2, 0, 0, 0, 0, 3, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 5, 6, 0, 0, 0, 0};
        expect(tensor("sparse_bsr_tensor.crow_col_value", ENDS, PLACES, blocks), sizes(3, 8), rows);
        expect(tensor("sparse_bsr_tensor.crow_col_value_size", ENDS, PLACES, blocks, ints(3, 8)), sizes(3, 8), rows);
        expect(
                tensor("sparse_bsc_tensor.ccol_row_value_size", ENDS, PLACES, blocks, ints(4, 6)),
                sizes(4, 6),
                1,
                2,
                0,
                0,
                0,
                0,
                0,
                0,
                0,
                0,
                5,
                6,
                0,
                0,
                0,
                0,
                0,
                0,
                3,
                4,
                0,
                0,
                0,
                0);
    }

    @Test
    void batchesHaveIndicesOfTheirOwn() {
        Tensor ends = tensor("view", longs(0, 1, 2, 0, 0, 2), ints(2, 3));
        Tensor places = tensor("view", longs(2, 0, 0, 1), ints(2, 2));
        Tensor dense = tensor(
                "sparse_csr_tensor.crow_col_value_size", ends, places, floats(sizes(2, 2), 1, 2, 3, 4), ints(2, 2, 3));
        expect(dense, sizes(2, 2, 3), 0, 0, 1, 2, 0, 0, 0, 0, 0, 3, 4, 0);
        expect(tensor("crow_indices", dense), DType.INT64, sizes(2, 3), 0, 1, 2, 0, 0, 2);
        expect(tensor("col_indices", dense), DType.INT64, sizes(2, 2), 2, 0, 0, 1);
    }

    @Test
    void indicesAreThoseOfWhatIsNotZero() {
        Tensor rows = tensor("to_sparse_csr", floats(sizes(2, 3), 0, 5, 0, 6, 0, 7));
        expect(tensor("crow_indices", rows), DType.INT64, sizes(3), 0, 1, 3);
        expect(tensor("col_indices", rows), DType.INT64, sizes(3), 1, 0, 2);
        expect(tensor("ccol_indices", rows), DType.INT64, sizes(4), 0, 1, 2, 3);
        expect(tensor("row_indices", rows), DType.INT64, sizes(3), 1, 0, 1);
        expect(tensor("col_indices", floats(sizes(2, 2), 0, 0, 0, 0)), DType.INT64, sizes(0));
    }

    @Test
    void productsAreTakenWhereThereIsSomething() {
        Tensor rows = floats(sizes(2, 3), 0, 5, 0, 6, 0, 7);
        expect(
                tensor(
                        "sparse_sampled_addmm",
                        rows,
                        floats(sizes(2, 2), 1, 1, 1, 1),
                        floats(sizes(2, 3), 0, 1, 2, 3, 4, 5),
                        0.5,
                        2L),
                sizes(2, 3),
                0,
                12.5,
                0,
                9,
                0,
                17.5);
        expect(tensor("_sparse_softmax.int", rows, 1L), sizes(2, 3), 0, 1, 0, 0.26894142, 0, 0.7310586);
        expect(tensor("_sparse_log_softmax.int", rows, 1L), sizes(2, 3), 0, 0, 0, -1.3132616, 0, -0.31326166);
    }

    @Test
    void indicesThatMeanNothingAreRefused() {
        refused("index 4 (expected: within 4 a line)", ENDS, longs(0, 4, 1), VALUES, ints(3, 4), null, 2L);
        refused("lines begin at [0, 2, 1, 3]", longs(0, 2, 1, 3), PLACES, VALUES, ints(3, 4), null, 2L);
        refused("lines begin at [0, 2, 2, 2]", longs(0, 2, 2, 2), PLACES, VALUES, ints(3, 4), null, 2L);
        refused("3 lines of blocks of 1 by 1", ENDS, PLACES, VALUES, ints(4, 4), null, 2L);
        refused("layout 1 (expected: 2, 4, 5 or 6", ENDS, PLACES, VALUES, ints(3, 4), null, 1L);
        refused("values", ENDS, PLACES, vector(1, 2), ints(3, 4), null, 2L);
        refused("int32 or int64", VALUES, PLACES, VALUES, ints(3, 4), null, 2L);
    }

    private static void refused(String message, Object... arguments) {
        Exception e = assertThrows(
                IllegalArgumentException.class,
                () -> tensor("sparse_compressed_tensor.comp_plain_value_size", arguments));
        assertTrue(e.getMessage().contains(message), e.getMessage());
    }
}
