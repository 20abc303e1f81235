package org.torchnnapi.operators.ops;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.torchnnapi.operators.ops.Op.expect;
import static org.torchnnapi.operators.ops.Op.floats;
import static org.torchnnapi.operators.ops.Op.longs;
import static org.torchnnapi.operators.ops.Op.sizes;
import static org.torchnnapi.operators.ops.Op.tensor;
import static org.torchnnapi.operators.ops.Op.vector;

import org.junit.jupiter.api.Test;
import org.torchnnapi.tensor.Tensor;

/** Covariances and correlations. Expected values are genuine PyTorch's. */
class CovarianceTest {
    private static final Tensor X = floats(sizes(2, 3), 1, 4, 2, 3, -1, 5);
    private static final Tensor V = vector(1, 2, 4, 8);

    @Test
    void covariances() {
        expect(tensor("cov", X), sizes(2, 2), 2.33333349, -3.66666675, -3.66666675, 9.33333397);
        expect(
                tensor("cov", X, 0L, longs(1, 2, 3), vector(0.5, 1, 2)),
                sizes(2, 2),
                0.83044982,
                -2.07612443,
                -2.07612443,
                6.36678171);
        expect(tensor("cov", V), sizes(), 9.58333302);
        assertThrows(IllegalArgumentException.class, () -> tensor("cov", X, 0L, longs(1, 2)));
    }

    @Test
    void correlations() {
        expect(tensor("corrcoef", X), sizes(2, 2), 1.0, -0.785714269, -0.785714269, 1.0);
        expect(tensor("corrcoef", V), sizes(), 1);
    }
}
