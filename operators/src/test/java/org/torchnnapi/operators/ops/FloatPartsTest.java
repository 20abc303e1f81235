package org.torchnnapi.operators.ops;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.torchnnapi.operators.ops.Op.expect;
import static org.torchnnapi.operators.ops.Op.longs;
import static org.torchnnapi.operators.ops.Op.sizes;
import static org.torchnnapi.operators.ops.Op.tensor;
import static org.torchnnapi.operators.ops.Op.tensors;
import static org.torchnnapi.operators.ops.Op.vector;

import org.junit.jupiter.api.Test;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;

/** Fractions, exponents and divisors. Expected values are genuine PyTorch's. */
class FloatPartsTest {
    @Test
    void fractionsAndExponents() {
        Tensor[] parts = tensors("frexp.Tensor", vector(0, -3, 0.5, 10));
        expect(parts[0], sizes(4), 0, -0.75, 0.5, 0.625);
        expect(parts[1], DType.INT32, sizes(4), 0, 2, 0, 4);
        expect(tensor("ldexp.Tensor", vector(1, 2, 4, 8), longs(0, 1, -2, 3)), DType.FLOAT32, sizes(4), 1, 4, 1, 64);
    }

    @Test
    void divisorsAndMultiples() {
        expect(tensor("gcd", longs(12, -18, 0, 7), longs(18, 12, 5, 0)), DType.INT64, sizes(4), 6, 6, 5, 7);
        expect(tensor("lcm", longs(12, -18, 0, 7), longs(18, 12, 5, 0)), DType.INT64, sizes(4), 36, 36, 0, 0);
        assertThrows(IllegalArgumentException.class, () -> tensor("gcd", vector(1), vector(2)));
    }
}
