package org.torchnnapi.kernels.internal.natives;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.torchnnapi.kernels.Kernels;
import org.torchnnapi.kernels.QuantizedWeights;

/** Panels as weights.c packs them against the same in plain Java. */
class WeightPanelsTest {
    @BeforeAll
    static void needsTheLibrary() {
        String kernels = Kernels.describe().get(0);
        assumeTrue(kernels.startsWith("float kernels: native"), kernels);
    }

    /** Bytes of a channel that lie together. */
    private static int depth() {
        return NativeLibrary.ISA.equals("i8mm") ? 8 : 4;
    }

    /**
     * Where a panel has a byte of those of a channel that lie together: after each other, or, where pairs are
     * multiplied, a vector's first pairs before the others.
     */
    private static int place(int channel, int byteOfChannel) {
        int lanes = switch (NativeLibrary.ISA) {
            case "avx2" -> 8;
            case "neon", "sse41" -> 4;
            default -> 0;
        };
        return lanes == 0
                ? channel * depth() + byteOfChannel
                : channel / lanes * lanes * 4 + byteOfChannel / 2 * lanes * 2 + channel % lanes * 2 + byteOfChannel % 2;
    }

    @ParameterizedTest
    @CsvSource({
        "1, 1, 1, 1, 0",
        "5, 3, 1, 1, 0",
        "33, 7, 9, 3, 0",
        "31, 4, 9, 9, 2",
        "64, 17, 4, 1, 1",
        "100, 2, 6, 2, 5"
    })
    void runsOfTapsBeginOnQuads(int channels, int inputs, int tapCount, int runTaps, int moreQuads) {
        QuantizedWeights weights =
                WeightBytesTest.weights(channels, inputs * tapCount, channels % 2 == 0, tapCount > 1);
        int quads = (runTaps * inputs + 3) / 4 + moreQuads;
        int[] taps = IntStream.range(0, tapCount).map(tap -> tapCount - 1 - tap).toArray();
        WeightPanels panels =
                new WeightPanels(weights, channels, inputs, taps, runTaps, quads, inputs * tapCount, tapCount);

        int panel = WeightPanels.PANEL;
        int[] sums = new int[WeightPanels.count(channels) * panel];
        int depth = depth();
        int runDepths = (quads * 4 + depth - 1) / depth;
        byte[] expected = new byte[sums.length * tapCount / runTaps * runDepths * depth];
        for (int channel = 0; channel < channels; channel++) {
            for (int tap = 0; tap < tapCount; tap++) {
                for (int input = 0; input < inputs; input++) {
                    byte weight =
                            (byte) weights.centred(channel * inputs * tapCount + input * tapCount + taps[tap], channel);
                    int inRun = tap % runTaps * inputs + input;
                    int before = (channel / panel * (tapCount / runTaps) + tap / runTaps) * runDepths + inRun / depth;
                    expected[before * panel * depth + place(channel % panel, inRun % depth)] = weight;
                    sums[channel] += weight;
                }
            }
        }
        byte[] packed = new byte[expected.length];
        panels.memory().bytes().get(packed);
        assertArrayEquals(expected, packed);
        assertArrayEquals(sums, panels.sums());
    }
}
