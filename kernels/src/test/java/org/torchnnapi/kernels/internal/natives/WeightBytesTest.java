package org.torchnnapi.kernels.internal.natives;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.torchnnapi.kernels.Kernels;
import org.torchnnapi.kernels.QuantizedWeights;

/** What weights.c does to weights against the same in plain Java. */
class WeightBytesTest {
    @BeforeAll
    static void needsTheLibrary() {
        String kernels = Kernels.describe().get(0);
        assumeTrue(kernels.startsWith("float kernels: native"), kernels);
    }

    static QuantizedWeights weights(int channels, int count, boolean signed, boolean perChannel) {
        Random random = new Random(31L * channels + count);
        byte[] values = new byte[channels * count];
        random.nextBytes(values);
        int[] zeroPoints = random.ints(perChannel ? channels : 1, signed ? -128 : 0, signed ? 128 : 256)
                .toArray();
        return new QuantizedWeights(values, signed, zeroPoints);
    }

    @ParameterizedTest
    @CsvSource({
        "1, 1, true, false",
        "3, 17, true, true",
        "5, 64, false, true",
        "32, 9, false, false",
        "7, 1000, true, false"
    })
    void sumsAndRangeAreThoseOfTheirWeights(int channels, int count, boolean signed, boolean perChannel) {
        QuantizedWeights weights = weights(channels, count, signed, perChannel);
        long[] expected = new long[2 * channels];
        int least = Integer.MAX_VALUE;
        int largest = Integer.MIN_VALUE;
        for (int channel = 0; channel < channels; channel++) {
            for (int i = 0; i < count; i++) {
                int weight = weights.centred(channel * count + i, channel);
                expected[2 * channel] += weight;
                expected[2 * channel + 1] += Math.abs(weight);
                least = Math.min(least, weight + weights.zeroPoint(channel) - WeightBytes.flip(weights));
                largest = Math.max(largest, weight + weights.zeroPoint(channel) - WeightBytes.flip(weights));
            }
        }
        assertArrayEquals(expected, WeightBytes.sums(weights, channels, count, count));
        assertArrayEquals(new int[] {least, largest}, WeightBytes.range(weights));
    }

    @ParameterizedTest
    @CsvSource({"1, 1, true, false", "3, 17, true, true", "5, 64, false, true", "32, 9, false, false"})
    void columnsComeInTheirNewOrder(int rows, int columns, boolean signed, boolean perChannel) {
        QuantizedWeights weights = weights(rows, columns, signed, perChannel);
        int[] order = new Random(columns).ints(columns + 5, 0, columns + 2).toArray();
        QuantizedWeights reordered = WeightBytes.reordered(weights, rows, order);
        for (int row = 0; row < rows; row++) {
            for (int i = 0; i < order.length; i++) {
                int expected = order[i] < columns ? weights.centred(row * columns + order[i], row) : 0;
                assertEquals(expected, reordered.centred(row * order.length + i, row), row + ", " + i);
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"1, 1, true", "3, 9, false", "5, 25, true", "33, 9, true"})
    void tapsComeToTheirPlaces(int count, int taps, boolean signed) {
        QuantizedWeights weights = weights(count, taps, signed, true);
        int gap = 3;
        int[] channels = IntStream.range(0, count)
                .map(channel -> (count - 1 - channel) * gap)
                .toArray();
        int[] steps = IntStream.range(0, taps).map(tap -> tap * count * gap).toArray();
        NativeMemory out = new NativeMemory((long) gap * count * taps + 1);
        WeightBytes.place(weights, channels, steps, out, 1);
        byte[] expected = new byte[out.size()];
        for (int channel = 0; channel < count; channel++) {
            for (int tap = 0; tap < taps; tap++) {
                expected[1 + (tap * count + count - 1 - channel) * gap] =
                        (byte) weights.centred(channel * taps + tap, channel);
            }
        }
        byte[] written = new byte[out.size()];
        out.bytes().get(written);
        assertArrayEquals(expected, written);
    }
}
