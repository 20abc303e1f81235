package org.torchnnapi.operators.ops;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.torchnnapi.operators.ops.Op.expect;
import static org.torchnnapi.operators.ops.Op.floats;
import static org.torchnnapi.operators.ops.Op.ints;
import static org.torchnnapi.operators.ops.Op.sizes;
import static org.torchnnapi.operators.ops.Op.tensor;

import org.junit.jupiter.api.Test;
import org.torchnnapi.tensor.Tensor;

/** What operators are decomposed to, against the operators or values worked out by hand. */
class CoreFormsTest {
    private static final Tensor X = floats(sizes(2, 4), 1, 2, 3, 4, 0, -1, 5, 2);

    private static float[] real(Tensor complex) {
        return tensor("view_as_real", complex).toFloatArray();
    }

    @Test
    void transforms() {
        Tensor half = tensor("_fft_r2c", X, ints(1), 0L, true);
        assertArrayEquals(real(tensor("fft_rfft", X)), real(half), 1e-5f);
        assertArrayEquals(
                real(tensor("fft_fftn", X, null, ints(0, 1), "ortho")),
                real(tensor("_fft_r2c", X, ints(0, 1), 1L, false)),
                1e-5f);
        // Back: by the count, and odd lengths as they were.
        assertArrayEquals(
                X.toFloatArray(), tensor("_fft_c2r", half, ints(1), 2L, 4L).toFloatArray(), 1e-5f);
        Tensor odd = floats(sizes(3), 1, -2, 4);
        Tensor spectrum = tensor("_fft_r2c", odd, ints(0), 0L, true);
        assertArrayEquals(
                new float[] {3, -6, 12},
                tensor("_fft_c2r", spectrum, ints(0), 0L, 3L).toFloatArray(),
                1e-5f);
        Tensor there = tensor("_fft_c2c", half, ints(0), 0L, true);
        assertArrayEquals(real(half), real(tensor("_fft_c2c", there, ints(0), 2L, false)), 1e-5f);
    }

    @Test
    void products() {
        Tensor a = floats(sizes(2), 1, 2);
        Tensor b = floats(sizes(2, 2), 1, 2, 3, 4);
        // sum over j of a[i] * b[i, j] * a[j]
        expect(
                tensor("_trilinear", a, b, a, ints(1), ints(), ints(0), ints(1)),
                sizes(2),
                1 * (1 * 1 + 2 * 2),
                2 * (3 * 1 + 4 * 2));
        expect(
                tensor(
                        "transformers::grouped_mm_fallback",
                        floats(sizes(3, 1), 1, 2, 3),
                        floats(sizes(2, 1, 1), 10, 100),
                        Tensor.of(new int[] {1, 3}, 2)),
                sizes(3, 1),
                10,
                200,
                300);
    }
}
