package org.torchnnapi.driver.cpu;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ByteSumsTest {
    @ParameterizedTest
    @CsvSource({
        "1, 1, 1, false, 0",
        "3, 5, 2, true, -128",
        "511, 7, 3, false, 255",
        "513, 17, 1, true, 127",
        "1030, 4, 5, false, 77"
    })
    void areThoseOfTheirDefinition(int inputs, int outputs, int rows, boolean signed, int zeroPoint) {
        Random random = new Random(inputs);
        byte[] weights = new byte[inputs * outputs];
        byte[] in = new byte[2 + rows * inputs];
        random.nextBytes(weights);
        random.nextBytes(in);
        // The largest sums that there are.
        Arrays.fill(weights, 0, inputs, Byte.MIN_VALUE);
        Arrays.fill(in, 2, 2 + inputs, (byte) (zeroPoint > 0 ? signed ? -128 : 0 : signed ? 127 : 255));
        long[] expected = new long[rows * outputs];
        for (int row = 0; row < rows; row++) {
            for (int o = 0; o < outputs; o++) {
                for (int i = 0; i < inputs; i++) {
                    byte value = in[2 + row * inputs + i];
                    expected[row * outputs + o] +=
                            (long) ((signed ? value : value & 0xff) - zeroPoint) * weights[o * inputs + i];
                }
            }
        }
        long[] sums = new long[rows * outputs];
        Arrays.fill(sums, 5);
        new ByteSums(inputs, outputs, weights).run(in, 2, rows, signed, zeroPoint, sums);
        assertArrayEquals(expected, sums);
    }
}
