package org.torchnnapi.converter.check;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import org.junit.jupiter.api.Test;
import org.torchnnapi.tensor.Tensor;

class TensorQuantizerTest {
    @Test
    void roundsHalfToEvenAndClamps() {
        Tensor quantized = TensorQuantizer.toQuint8(Tensor.of(new float[] {0.25f, 0.75f, -100, 1000, -1}, 5), 0.5, 10);
        assertArrayEquals(new long[] {10, 12, 0, 255, 8}, quantized.toLongArray());
        assertArrayEquals(new double[] {0, 1, -5, 122.5, -1}, TensorQuantizer.real(quantized));
    }
}
