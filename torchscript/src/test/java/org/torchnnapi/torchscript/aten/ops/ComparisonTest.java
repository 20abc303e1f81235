package org.torchnnapi.torchscript.aten.ops;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.torchnnapi.torchscript.aten.ops.Op.expect;
import static org.torchnnapi.torchscript.aten.ops.Op.floats;
import static org.torchnnapi.torchscript.aten.ops.Op.sizes;
import static org.torchnnapi.torchscript.aten.ops.Op.tensor;

import org.junit.jupiter.api.Test;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;

/** Comparisons, logic and bits. Expected values are genuine PyTorch's. */
class ComparisonTest {
    private static final Tensor X = floats(sizes(2, 3), -2.5, -1, 0, 0.5, 1.5, 3);
    private static final Tensor Y = floats(sizes(2, 3), 1, 2, -3, 0.5, -0.25, 4);
    private static final Tensor I = Tensor.of(new long[] {-7, 2, 3, 4, -5, 6}, 2, 3);
    private static final Tensor J = Tensor.of(new long[] {2, -3, 4}, 3);
    private static final Tensor B = Tensor.of(DType.BOOL, new byte[] {1, 0, 1, 0, 0, 1}, 2, 3);

    @Test
    void compares() {
        Tensor t1 = tensor("eq.Tensor", X, Y);
        expect(t1, sizes(2, 3), 0, 0, 0, 1, 0, 0);
        assertEquals(DType.BOOL, t1.dtype());
        Tensor t2 = tensor("ne.Tensor", X, Y);
        expect(t2, sizes(2, 3), 1, 1, 1, 0, 1, 1);
        assertEquals(DType.BOOL, t2.dtype());
        Tensor t3 = tensor("lt.Tensor", X, Y);
        expect(t3, sizes(2, 3), 1, 1, 0, 0, 0, 1);
        assertEquals(DType.BOOL, t3.dtype());
        Tensor t4 = tensor("le.Tensor", X, Y);
        expect(t4, sizes(2, 3), 1, 1, 0, 1, 0, 1);
        assertEquals(DType.BOOL, t4.dtype());
        Tensor t5 = tensor("gt.Tensor", X, Y);
        expect(t5, sizes(2, 3), 0, 0, 1, 0, 1, 0);
        assertEquals(DType.BOOL, t5.dtype());
        Tensor t6 = tensor("ge.Tensor", X, Y);
        expect(t6, sizes(2, 3), 0, 0, 1, 1, 1, 0);
        assertEquals(DType.BOOL, t6.dtype());
        Tensor t7 = tensor("gt.Scalar", I, 2L);
        expect(t7, sizes(2, 3), 0, 0, 1, 1, 0, 1);
        assertEquals(DType.BOOL, t7.dtype());
        Tensor t8 = tensor("eq.Tensor", I, J);
        expect(t8, sizes(2, 3), 0, 0, 0, 0, 0, 0);
        assertEquals(DType.BOOL, t8.dtype());
    }

    @Test
    void logicAndBits() {
        Tensor t9 = tensor("logical_and", B, X);
        expect(t9, sizes(2, 3), 1, 0, 0, 0, 0, 1);
        assertEquals(DType.BOOL, t9.dtype());
        Tensor t10 = tensor("logical_xor", B, X);
        expect(t10, sizes(2, 3), 0, 1, 1, 1, 1, 0);
        assertEquals(DType.BOOL, t10.dtype());
        Tensor t11 = tensor("logical_not", X);
        expect(t11, sizes(2, 3), 0, 0, 1, 0, 0, 0);
        assertEquals(DType.BOOL, t11.dtype());
        Tensor t12 = tensor("bitwise_and.Tensor", I, J);
        expect(t12, sizes(2, 3), 0, 0, 0, 0, -7, 4);
        assertEquals(DType.INT64, t12.dtype());
        Tensor t13 = tensor("bitwise_or.Scalar", I, 8L);
        expect(t13, sizes(2, 3), -7, 10, 11, 12, -5, 14);
        assertEquals(DType.INT64, t13.dtype());
        Tensor t14 = tensor("bitwise_not", I);
        expect(t14, sizes(2, 3), 6, -3, -4, -5, 4, -7);
        assertEquals(DType.INT64, t14.dtype());
        Tensor t15 = tensor("bitwise_not", B);
        expect(t15, sizes(2, 3), 0, 1, 0, 1, 1, 0);
        assertEquals(DType.BOOL, t15.dtype());
        Tensor t16 = tensor("__lshift__.Scalar", I, 2L);
        expect(t16, sizes(2, 3), -28, 8, 12, 16, -20, 24);
        assertEquals(DType.INT64, t16.dtype());
        Tensor t17 = tensor("__rshift__.Scalar", I, 1L);
        expect(t17, sizes(2, 3), -4, 1, 1, 2, -3, 3);
        assertEquals(DType.INT64, t17.dtype());
    }

    @Test
    void wholeTensors() {
        assertEquals(true, Op.call("equal", X, X));
        assertEquals(false, Op.call("equal", X, Y));
        Tensor t20 = tensor("isclose", X, floats(sizes(2, 3), -2.5, -0.999999881, 1.00000001e-07, 0.500000119, 1.50000012, 3));
        expect(t20, sizes(2, 3), 1, 1, 0, 1, 1, 1);
        assertEquals(DType.BOOL, t20.dtype());
    }
}
