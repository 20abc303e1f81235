package org.torchnnapi.operators.ops;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.torchnnapi.operators.ops.Op.floats;
import static org.torchnnapi.operators.ops.Op.ints;
import static org.torchnnapi.operators.ops.Op.longs;
import static org.torchnnapi.operators.ops.Op.sizes;
import static org.torchnnapi.operators.ops.Op.tensor;
import static org.torchnnapi.operators.ops.Op.tensors;

import org.junit.jupiter.api.Test;
import org.torchnnapi.operators.support.TensorViews;
import org.torchnnapi.tensor.Tensor;

/** What genuine PyTorch refuses for its dimensions. */
class TooManyDimensionsTest {
    private static final Tensor X = floats(sizes(2, 1, 1, 1, 2), 1, 2, 3, 4);

    private static void refused(String name, Object... arguments) {
        assertThrows(RuntimeException.class, () -> tensor(name, arguments), name);
    }

    @Test
    void placesToCopyToAreAList() {
        refused("index_copy", X, 0L, TensorViews.reshape(longs(1, 0), 2, 1), X);
    }

    @Test
    void quantilesAreAList() {
        refused("quantile", X, floats(sizes(1, 1), 0.5), -1L, false, "linear");
    }

    @Test
    void rowsOfLabelsHaveOneBatch() {
        refused("multilabel_margin_loss", X, TensorViews.reshape(longs(0, -1, 0, -1), X.sizes()), 1L);
        refused("cosine_embedding_loss", X, X, floats(sizes(), 1), 0.0, 1L);
    }

    @Test
    void largestOfNothingAreNone() {
        assertThrows(
                RuntimeException.class, () -> tensors("adaptive_max_pool3d", floats(sizes(4, 4, 0, 5)), ints(1, 1, 1)));
        refused("pad", floats(sizes(1, 0, 3)), ints(1, 2), "reflect", null);
    }

    @Test
    void eigenvaluesAreOfNumbers() {
        assertThrows(RuntimeException.class, () -> tensors("linalg_eig", floats(sizes(2, 2), 1, Double.NaN, 0, 1)));
    }
}
