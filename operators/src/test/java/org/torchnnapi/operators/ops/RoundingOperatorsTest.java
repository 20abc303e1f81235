package org.torchnnapi.operators.ops;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.torchnnapi.operators.ops.Op.expect;
import static org.torchnnapi.operators.ops.Op.floats;
import static org.torchnnapi.operators.ops.Op.sizes;
import static org.torchnnapi.operators.ops.Op.tensor;

import org.junit.jupiter.api.Test;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;

/** Rounding, signs and tests for special values. Expected values are genuine PyTorch's. */
class RoundingOperatorsTest {
    private static final Tensor X = floats(sizes(2, 3), -2.5, -1, 0, 0.5, 1.5, 3);
    private static final Tensor I = Tensor.of(new long[] {-7, 2, 3, 4, -5, 6}, 2, 3);

    @Test
    void rounds() {
        expect(tensor("ceil", X), sizes(2, 3), -2, -1, 0, 1, 2, 3);
        expect(tensor("floor", X), sizes(2, 3), -3, -1, 0, 0, 1, 3);
        expect(tensor("round", X), sizes(2, 3), -2, -1, 0, 0, 2, 3);
        expect(tensor("trunc", X), sizes(2, 3), -2, -1, 0, 0, 1, 3);
        expect(tensor("abs", X), sizes(2, 3), 2.5, 1, 0, 0.5, 1.5, 3);
        expect(tensor("neg", X), sizes(2, 3), 2.5, 1, -0, -0.5, -1.5, -3);
        expect(tensor("square", X), sizes(2, 3), 6.25, 1, 0, 0.25, 2.25, 9);
        expect(tensor("sign", X), sizes(2, 3), -1, -1, 0, 1, 1, 1);
        expect(tensor("round.decimals", floats(sizes(2), 1.25, 2.34500003), 1L), sizes(2), 1.20000005, 2.29999995);
        expect(tensor("abs", I), DType.INT64, sizes(2, 3), 7, 2, 3, 4, 5, 6);
        expect(tensor("floor", I), DType.INT64, sizes(2, 3), -7, 2, 3, 4, -5, 6);
    }

    @Test
    void knowsSpecialValues() {
        expect(tensor("isnan", floats(sizes(2), Double.NaN, 1)), DType.BOOL, sizes(2), 1, 0);
        expect(tensor("isinf", floats(sizes(2), Double.NEGATIVE_INFINITY, 1)), DType.BOOL, sizes(2), 1, 0);
        expect(tensor("isfinite", floats(sizes(2), Double.POSITIVE_INFINITY, 1)), DType.BOOL, sizes(2), 0, 1);
        expect(
                tensor("nan_to_num", floats(sizes(3), Double.NaN, Double.POSITIVE_INFINITY, -1), 2.0, 5.0, null),
                sizes(3),
                2,
                5,
                -1);
    }

    @Test
    void theSignOfNanIsZeroAndZerosHaveNone() {
        for (String name : new String[] {"sign", "sgn"}) {
            Tensor signs = Op.tensor(name, Op.vector(Double.NaN, -0.0, -2, Double.POSITIVE_INFINITY));
            assertArrayEquals(new float[] {0, 0, -1, 1}, signs.toFloatArray());
        }
    }
}
