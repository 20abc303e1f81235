package org.torchnnapi.operators.ops;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.torchnnapi.operators.ops.Op.expect;
import static org.torchnnapi.operators.ops.Op.floats;
import static org.torchnnapi.operators.ops.Op.sizes;
import static org.torchnnapi.operators.ops.Op.tensor;
import static org.torchnnapi.operators.ops.Op.tensors;
import static org.torchnnapi.operators.ops.Op.vector;

import org.junit.jupiter.api.Test;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;

/** Quantiles and medians of what may hold no numbers. Expected values are genuine PyTorch's. */
class QuantilesTest {
    private static final Tensor X = floats(sizes(2, 3), 1, 4, 2, 3, -1, 5);
    private static final Tensor GAPS = floats(sizes(2, 4), 1, Double.NaN, 3, 8, 4, 2, 9, Double.NaN);

    @Test
    void quantiles() {
        expect(tensor("quantile", X, vector(0, 0.3, 1), 1L), sizes(3, 2), 1.0, -1.0, 1.60000002, 1.4000001, 4.0, 5.0);
        expect(tensor("quantile.scalar", X, 0.4, null, false, "nearest"), sizes(), 2.0);
        expect(tensor("quantile.scalar", X, 0.5, null, true, "midpoint"), sizes(1, 1), 2.5);
        expect(tensor("quantile.scalar", X, 0.5, null, false, "lower"), sizes(), 2);
        expect(tensor("quantile.scalar", X, 0.5, null, false, "higher"), sizes(), 3);
        expect(tensor("nanquantile.scalar", GAPS, 0.5, 1L, true), sizes(2, 1), 3.0, 4.0);
        expect(tensor("quantile.scalar", GAPS, 0.5, 0L), sizes(4), 2.5, Double.NaN, 6.0, Double.NaN);
        assertThrows(IllegalArgumentException.class, () -> tensor("quantile.scalar", X, 1.5));
        assertThrows(IllegalArgumentException.class, () -> tensor("quantile.scalar", X, 0.5, null, false, "cubic"));
    }

    @Test
    void mediansOfNumbers() {
        expect(tensor("nanmedian", GAPS), sizes(), 3);
        Tensor[] rows = tensors("nanmedian.dim", GAPS, 1L);
        expect(rows[0], sizes(2), 3, 4);
        expect(rows[1], DType.INT64, sizes(2), 2, 0);
    }
}
