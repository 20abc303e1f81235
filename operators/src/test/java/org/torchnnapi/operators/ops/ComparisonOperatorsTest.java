package org.torchnnapi.operators.ops;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.torchnnapi.operators.ops.Op.expect;
import static org.torchnnapi.operators.ops.Op.floats;
import static org.torchnnapi.operators.ops.Op.sizes;
import static org.torchnnapi.operators.ops.Op.tensor;

import org.junit.jupiter.api.Test;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;

/** Comparisons, logic and bits. Expected values are genuine PyTorch's. */
class ComparisonOperatorsTest {
    private static final Tensor X = floats(sizes(2, 3), -2.5, -1, 0, 0.5, 1.5, 3);
    private static final Tensor Y = floats(sizes(2, 3), 1, 2, -3, 0.5, -0.25, 4);
    private static final Tensor I = Tensor.of(new long[] {-7, 2, 3, 4, -5, 6}, 2, 3);
    private static final Tensor J = Tensor.of(new long[] {2, -3, 4}, 3);
    private static final Tensor B = Tensor.of(DType.BOOL, new byte[] {1, 0, 1, 0, 0, 1}, 2, 3);

    @Test
    void compares() {
        expect(tensor("eq.Tensor", X, Y), DType.BOOL, sizes(2, 3), 0, 0, 0, 1, 0, 0);
        expect(tensor("ne.Tensor", X, Y), DType.BOOL, sizes(2, 3), 1, 1, 1, 0, 1, 1);
        expect(tensor("lt.Tensor", X, Y), DType.BOOL, sizes(2, 3), 1, 1, 0, 0, 0, 1);
        expect(tensor("le.Tensor", X, Y), DType.BOOL, sizes(2, 3), 1, 1, 0, 1, 0, 1);
        expect(tensor("gt.Tensor", X, Y), DType.BOOL, sizes(2, 3), 0, 0, 1, 0, 1, 0);
        expect(tensor("ge.Tensor", X, Y), DType.BOOL, sizes(2, 3), 0, 0, 1, 1, 1, 0);
        expect(tensor("gt.Scalar", I, 2L), DType.BOOL, sizes(2, 3), 0, 0, 1, 1, 0, 1);
        expect(tensor("eq.Tensor", I, J), DType.BOOL, sizes(2, 3), 0, 0, 0, 0, 0, 0);
    }

    @Test
    void logicAndBits() {
        expect(tensor("logical_and", B, X), DType.BOOL, sizes(2, 3), 1, 0, 0, 0, 0, 1);
        expect(tensor("logical_xor", B, X), DType.BOOL, sizes(2, 3), 0, 1, 1, 1, 1, 0);
        expect(tensor("logical_not", X), DType.BOOL, sizes(2, 3), 0, 0, 1, 0, 0, 0);
        expect(tensor("bitwise_and.Tensor", I, J), DType.INT64, sizes(2, 3), 0, 0, 0, 0, -7, 4);
        expect(tensor("bitwise_or.Scalar", I, 8L), DType.INT64, sizes(2, 3), -7, 10, 11, 12, -5, 14);
        expect(tensor("bitwise_not", I), DType.INT64, sizes(2, 3), 6, -3, -4, -5, 4, -7);
        expect(tensor("bitwise_not", B), DType.BOOL, sizes(2, 3), 0, 1, 0, 1, 1, 0);
        expect(tensor("__lshift__.Scalar", I, 2L), DType.INT64, sizes(2, 3), -28, 8, 12, 16, -20, 24);
        expect(tensor("__rshift__.Scalar", I, 1L), DType.INT64, sizes(2, 3), -4, 1, 1, 2, -3, 3);
    }

    @Test
    void wholeTensors() {
        assertEquals(true, Op.call("equal", X, X));
        assertEquals(false, Op.call("equal", X, Y));
        expect(
                tensor(
                        "isclose",
                        X,
                        floats(sizes(2, 3), -2.5, -0.999999881, 1.00000001e-07, 0.500000119, 1.50000012, 3)),
                DType.BOOL,
                sizes(2, 3),
                1,
                1,
                0,
                1,
                1,
                1);
    }

    @Test
    void bytesAreComparedWithBytes() {
        Tensor bytes = Tensor.of(org.torchnnapi.tensor.DType.UINT8, new byte[] {3}, 1);
        org.junit.jupiter.api.Assertions.assertEquals(
                0, Op.tensor("gt.Scalar", bytes, -1L).getLong(0));
    }
}
