package org.torchnnapi.operators.ops;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.torchnnapi.operators.ops.Op.expect;
import static org.torchnnapi.operators.ops.Op.floats;
import static org.torchnnapi.operators.ops.Op.ints;
import static org.torchnnapi.operators.ops.Op.sizes;

import org.junit.jupiter.api.Test;
import org.torchnnapi.tensor.Tensor;

class FractionalPoolingTest {
    /** Expected numbers are genuine PyTorch's. */
    @Test
    void windowsGoWhereTheRandomNumbersSay() {
        double[] ramp = new double[25];
        for (int i = 0; i < ramp.length; i++) {
            ramp[i] = i * 7 % 25;
        }
        Tensor[] out = Op.tensors(
                "fractional_max_pool2d",
                floats(sizes(1, 1, 5, 5), ramp),
                ints(2, 2),
                ints(3, 3),
                floats(sizes(1, 1, 2), 0.3, 0.8));
        expect(out[0], sizes(1, 1, 3, 3), 17, 24, 21, 20, 24, 23, 22, 22, 18);
        expect(out[1], sizes(1, 1, 3, 3), 6, 7, 3, 10, 7, 14, 21, 21, 24);
    }

    @Test
    void aWindowMustFit() {
        assertThrows(
                IllegalArgumentException.class,
                () -> Op.tensors(
                        "fractional_max_pool2d",
                        floats(sizes(1, 2, 2), 1, 2, 3, 4),
                        ints(2, 2),
                        ints(2, 2),
                        floats(sizes(1, 1, 2), 0, 0)));
        assertThrows(
                IllegalArgumentException.class,
                () -> Op.tensors(
                        "fractional_max_pool2d",
                        floats(sizes(1, 2, 2), 1, 2, 3, 4),
                        ints(1, 1),
                        ints(2, 2),
                        floats(sizes(1, 1, 1), 0)));
    }
}
