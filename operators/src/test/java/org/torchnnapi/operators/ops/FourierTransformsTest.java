package org.torchnnapi.operators.ops;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.torchnnapi.operators.ops.Op.expect;
import static org.torchnnapi.operators.ops.Op.sizes;
import static org.torchnnapi.operators.ops.Op.tensor;
import static org.torchnnapi.operators.ops.Op.vector;

import org.junit.jupiter.api.Test;
import org.torchnnapi.tensor.Tensor;

/** Expected values are genuine PyTorch's. */
class FourierTransformsTest {
    @Test
    void anyLengthAndBack() {
        Tensor spectrum = tensor("view_as_real", tensor("fft_fft", vector(1, 0, 2, 0, 3)));
        expect(
                spectrum,
                sizes(5, 2),
                6,
                0,
                0.3090170621871948,
                1.6775991916656494,
                -0.8090170621871948,
                3.665468692779541,
                -0.8090170621871948,
                -3.665468692779541,
                0.3090170621871948,
                -1.6775991916656494);
        expect(
                tensor("view_as_real", tensor("fft_rfft", vector(1, 2, 3))),
                sizes(2, 2),
                6,
                0,
                -1.5,
                0.8660253882408142);
        for (int n = 1; n < 40; n++) {
            double[] values = new double[n];
            for (int i = 0; i < n; i++) {
                values[i] = Math.sin(i * i);
            }
            expect(tensor("fft_irfft", tensor("fft_rfft", vector(values)), (long) n), sizes(n), values);
        }
        assertThrows(IllegalArgumentException.class, () -> tensor("fft_fft", vector(1), 0L));
        assertThrows(IllegalArgumentException.class, () -> tensor("fft_fft", vector(1), 1L << 40));
        assertThrows(IllegalArgumentException.class, () -> tensor("fft_fft", vector(1), null, -1L, "odd"));
    }
}
