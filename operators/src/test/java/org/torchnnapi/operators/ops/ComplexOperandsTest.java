package org.torchnnapi.operators.ops;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.torchnnapi.operators.ops.Op.expect;
import static org.torchnnapi.operators.ops.Op.floats;
import static org.torchnnapi.operators.ops.Op.sizes;
import static org.torchnnapi.operators.ops.Op.tensor;
import static org.torchnnapi.operators.ops.Op.vector;

import org.junit.jupiter.api.Test;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;

/** Complex numbers given to operators that mostly have real ones. Expected values are genuine PyTorch's. */
class ComplexOperandsTest {
    private static final Tensor Z =
            tensor("complex", floats(sizes(2, 3), 1, 3, 0, 2, 0, 4), floats(sizes(2, 3), 2, -1, 2, 0, 1, 1));

    private static void parts(Tensor actual, int[] sizes, double... elements) {
        expect(tensor("view_as_real", actual), sizes, elements);
    }

    @Test
    void closeness() {
        Tensor a = tensor("complex", vector(1, 2, Double.POSITIVE_INFINITY), vector(1, 0, 0));
        Tensor b = tensor("complex", vector(1, 2.1, Double.POSITIVE_INFINITY), vector(1.0000001, 0, 0));
        expect(tensor("isclose", a, b), DType.BOOL, sizes(3), 1, 0, 1);
        assertEquals(false, Op.call("allclose", a, b));
    }

    @Test
    void covariancesAndCorrelations() {
        parts(tensor("cov", Z), sizes(2, 2, 2), 5.333333, 0, -3.5, 2.833333, -3.5, -2.833333, 4.333333, 0);
        parts(
                tensor("corrcoef", Z),
                sizes(2, 2, 2),
                1,
                0,
                -0.728044033,
                0.5893689394,
                -0.728044033,
                -0.5893689394,
                1,
                0);
    }

    @Test
    void functionsAndDistances() {
        parts(
                tensor("sinc", tensor("complex", vector(0.5, 0), vector(0.25, 0))),
                sizes(2, 2),
                0.674617827,
                -0.337308913,
                1,
                0);
        expect(
                tensor(
                        "pairwise_distance",
                        tensor("complex", vector(1), vector(1)),
                        tensor("complex", vector(0), vector(2))),
                sizes(),
                1.414214253);
        assertEquals(
                DType.FLOAT32,
                tensor("linalg_vector_norm", Z, 2L, null, false, (long) DType.COMPLEX64.code())
                        .dtype());
    }

    @Test
    void windows() {
        Tensor window = tensor("complex", vector(1, 2, 0, 1), vector(1, -1, 1, 0));
        Tensor spectrum = tensor("stft", vector(1, 2, 3, 4, 5, 6, 7, 8), 4L, 2L, null, window, false, null, true);
        expect(
                tensor(
                        "slice.Tensor",
                        tensor("flatten.using_ints", tensor("view_as_real", spectrum), 0L, -1L),
                        0L,
                        0L,
                        8L,
                        1L),
                sizes(8),
                9,
                2,
                17,
                4,
                25,
                6,
                -1,
                -2);
        Tensor back = tensor("istft", spectrum, 4L, 2L, null, window, false, false, false, null, true);
        expect(tensor("real", back), sizes(8), 1, 2, 3, 4, 5, 6, 7, 8);
        assertThrows(
                IllegalArgumentException.class,
                () -> tensor("istft", spectrum, 4L, 2L, null, window, false, false, false, null, false));
    }

    @Test
    void solutionsForVectors() {
        Tensor matrices =
                tensor("complex", floats(sizes(2, 2, 2), 2, 0, 0, 1, 1, 0, 0, 4), Tensor.zeros(DType.FLOAT32, 2, 2, 2));
        Tensor right = tensor("complex", floats(sizes(2, 2), 2, 3, 4, 8), Tensor.zeros(DType.FLOAT32, 2, 2));
        parts(Op.tensors("linalg_solve_ex", matrices, right)[0], sizes(2, 2, 2), 1, 0, 3, 0, 4, 0, 2, 0);
    }
}
