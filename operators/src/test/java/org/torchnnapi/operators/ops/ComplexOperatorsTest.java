package org.torchnnapi.operators.ops;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.torchnnapi.operators.ops.Op.expect;
import static org.torchnnapi.operators.ops.Op.floats;
import static org.torchnnapi.operators.ops.Op.sizes;
import static org.torchnnapi.operators.ops.Op.tensor;

import org.junit.jupiter.api.Test;
import org.torchnnapi.operators.support.Elements;
import org.torchnnapi.operators.support.TensorViews;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.value.Complex;

/** Complex numbers. Expected values are genuine PyTorch's. */
class ComplexOperatorsTest {
    private static final Tensor V = floats(sizes(3), 0.25, 0.5, 1.5);

    @Test
    void partsAndProducts() {
        Tensor t1 = tensor("complex", V, V);
        assertEquals(DType.COMPLEX64, t1.dtype());
    }

    @Test
    void halves() {
        Tensor z = tensor("chalf", tensor("complex", floats(sizes(2), 1, 0.1), floats(sizes(2), 2, -3)));
        assertEquals(DType.COMPLEX32, z.dtype());
        Tensor parts = tensor("view_as_real", z);
        assertEquals(DType.FLOAT16, parts.dtype());
        // 0.1 as a half.
        expect(parts, DType.FLOAT16, sizes(2, 2), 1, 2, 0.0999755859375, -3);
        expect(tensor("abs", z), DType.FLOAT16, sizes(2), 2.236328125, 3.001953125);
        expect(
                tensor("view_as_real", tensor("mul.Tensor", z, z)),
                DType.FLOAT16,
                sizes(2, 2),
                -3,
                4,
                -8.9921875,
                -0.599609375);
        Tensor half = Elements.cast(V, DType.FLOAT16);
        assertEquals(DType.COMPLEX32, tensor("complex", half, half).dtype());
        assertEquals(
                DType.COMPLEX32,
                tensor("view_as_complex", Elements.cast(floats(sizes(1, 2), 1, 2), DType.FLOAT16))
                        .dtype());
        assertEquals(
                DType.COMPLEX32, tensor("mul.Scalar", half, new Complex(0, 1)).dtype());
        assertEquals(new Complex(1, 2), Op.call("item", TensorViews.select(z, 0, 0)));
        assertEquals(
                DType.COMPLEX64,
                tensor("add.Tensor", z, Elements.cast(floats(sizes(2), 1, 2), DType.BFLOAT16), 1L)
                        .dtype());
        assertEquals(
                DType.COMPLEX128,
                tensor("add.Tensor", z, Elements.cast(floats(sizes(2), 1, 2), DType.FLOAT64), 1L)
                        .dtype());
        assertEquals(
                DType.COMPLEX32,
                tensor("add.Tensor", z, Elements.cast(floats(sizes(2), 1, 2), DType.INT64), 1L)
                        .dtype());
    }

    @Test
    void multipliesDividesAndMeasures() {
        Tensor z = tensor("complex", floats(sizes(2), 3, 0), floats(sizes(2), 4, 2));
        expect(tensor("abs", z), sizes(2), 5, 2);
        expect(tensor("view_as_real", tensor("mul.Tensor", z, z)), sizes(2, 2), -7, 24, -4, 0);
        expect(tensor("view_as_real", tensor("div.Tensor", z, z)), sizes(2, 2), 1, 0, 1, 0);
        expect(tensor("angle", z), sizes(2), 0.927295218, 1.57079633);
        assertThrows(IllegalArgumentException.class, () -> tensor("view_as_real", V));
    }
}
