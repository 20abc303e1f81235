package org.torchnnapi.kernels;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.torchnnapi.kernels.internal.DynamicKernels;
import org.torchnnapi.kernels.internal.portable.PortableDynamicKernels;

class DynamicQuantizationTest {
    @ParameterizedTest
    @CsvSource({
        "-1, 1.55, 0.01, 100",
        "0, 2.55, 0.01, 0",
        "-2.55, 0, 0.01, 255",
        "1, 2.55, 0.01, 0",
        "0, 0, 0.1, 0",
        "0, 1e-6, 6.1e-5, 0",
        "-1e-6, 0, 6.1e-5, 255",
        "-1e-6, 1e-6, 6.1e-5, 128",
        "-1.4030776e-37, 1.2359358e-37, 0.1, 0"
    })
    void coversTheRangeAndZero(float low, float high, double scale, int zeroPoint) {
        DynamicQuantization chosen = DynamicQuantization.of(low, high, 0, 255);
        assertEquals(scale, chosen.scale(), 1e-6 * scale);
        assertEquals(zeroPoint, chosen.zeroPoint());
    }

    @Test
    void rangesOfAwkwardLengths() {
        Random random = new Random(1);
        for (int count = 0; count < 150; count++) {
            float[] in = Twins.randomFloats(random, count + 3);
            in[count + 2] = 100;
            for (DynamicKernels kernels :
                    new DynamicKernels[] {DynamicKernels.chosen(), new PortableDynamicKernels()}) {
                float[] out = {9, 9, 9};
                kernels.range(in, 2, count, out, 1);
                float least = 0;
                float greatest = 0;
                for (int i = 2; i < count + 2; i++) {
                    least = Math.min(least, in[i]);
                    greatest = Math.max(greatest, in[i]);
                }
                assertArrayEquals(new float[] {9, least, greatest}, out, 0, kernels + " of " + count);
            }
        }
    }

    @Test
    void rowsAreFilledUpToWholeGroups() {
        byte[] out = {7, 7, 7, 7, 7, 7, 7, 7, 7, 7};
        new DynamicQuantization(0.5, 3).quantize(new float[] {9, 0, 1, -1, 0.25f, 0.75f, 1000}, 1, out, 1, 2, 3);
        assertArrayEquals(new byte[] {7, 3, 5, 1, 0, 3, 5, (byte) 255, 0, 7}, out);
    }

    @Test
    void checksItsArguments() {
        assertThrows(
                IllegalArgumentException.class, () -> DynamicQuantization.range(new float[4], 1, 4, new float[2], 0));
        assertThrows(
                IllegalArgumentException.class, () -> DynamicQuantization.range(new float[4], 1, 3, new float[2], 1));
        DynamicQuantization infinite = DynamicQuantization.of(0, Float.POSITIVE_INFINITY, 0, 255);
        assertThrows(IllegalArgumentException.class, () -> infinite.quantize(new float[4], 0, new byte[4], 0, 1, 4));
    }
}
