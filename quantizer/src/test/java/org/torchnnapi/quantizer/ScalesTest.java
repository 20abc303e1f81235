package org.torchnnapi.quantizer;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.torchnnapi.tensor.Quantization;
import org.torchnnapi.tensor.Tensor;

class ScalesTest {
    @Test
    void rangesHaveZeroInThem() {
        assertEquals(new Quantization.PerTensor(3f / 255, 0), Scales.affine(new Observer.Range(1, 3)));
        assertEquals(new Quantization.PerTensor(3f / 255, 255), Scales.affine(new Observer.Range(-3, -1)));
        assertEquals(new Quantization.PerTensor(2f / 255, 127), Scales.affine(new Observer.Range(-1, 1)));
    }

    @Test
    void noRangeStillHasAScale() {
        assertEquals(new Quantization.PerTensor(Math.ulp(1f), 0), Scales.affine(new Observer.Range(0, 0)));
        assertEquals(Math.ulp(1f), Scales.symmetric(Tensor.of(new float[4], 4)).scale());
    }

    @Test
    void weightsHaveTheirLargestMagnitudeInHalfTheSteps() {
        Tensor weight = Tensor.of(new float[] {1, -2, 0.5f, 0.25f}, 2, 2);
        assertEquals(new Quantization.PerTensor(2 / 127.5f, 0), Scales.symmetric(weight));
        assertArrayEquals(
                new double[] {2 / 127.5f, 0.5f / 127.5f},
                Scales.symmetricPerChannel(weight).scales());
    }
}
