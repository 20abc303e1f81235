package org.torchnnapi.kernels.internal.vector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.torchnnapi.kernels.internal.vector.Lanes.V;

import org.junit.jupiter.api.Test;
import org.torchnnapi.kernels.Requantization;

class RuleLanesTest extends VectorTest {
    @Test
    void vectorsEqualTheRule() {
        for (int channels : new int[] {1, V - 1, V, 2 * V + 3}) {
            for (Requantization rule : rules(channels)) {
                for (int count : new int[] {0, 1, 7, 10}) {
                    check(new RuleLanes(rule, channels), rule, channels, count);
                }
            }
        }
    }

    private void check(RuleLanes lanes, Requantization rule, int channels, int count) {
        float[] sums = sums(count * V + 3);
        int channel = (channels - 1) / V * V;
        int present = Math.min(V, channels - channel);
        if (lanes.isReady()) {
            byte[] out = new byte[count * (V + 1) + 2];
            lanes.narrow(sums, 3, V, channel, out, 2, V + 1, count);
            for (int i = 0; i < count * V; i++) {
                if (i % V < present) {
                    assertEquals(
                            (byte) rule.apply((int) sums[3 + i], channel + i % V), out[2 + i / V * (V + 1) + i % V]);
                }
            }
        }
        float[] rounded = sums.clone();
        lanes.round(rounded, 3, channel, count);
        for (int i = 0; i < count * V; i++) {
            if (i % V < present) {
                assertEquals(
                        rule.apply((int) sums[3 + i], channel + i % V) - rule.zeroPoint(),
                        rounded[3 + i],
                        "of " + sums[3 + i]);
            }
        }
    }
}
