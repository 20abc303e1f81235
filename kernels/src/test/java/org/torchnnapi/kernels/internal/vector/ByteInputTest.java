package org.torchnnapi.kernels.internal.vector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.torchnnapi.kernels.internal.vector.Lanes.V;

import org.junit.jupiter.api.Test;
import org.torchnnapi.kernels.ConvShape;
import org.torchnnapi.kernels.ImageLayout;
import org.torchnnapi.kernels.QuantizedWeights;
import org.torchnnapi.kernels.Requantization;
import org.torchnnapi.kernels.internal.QuantizedConvSpec;

class ByteInputTest extends VectorTest {
    @Test
    void everyLayoutGivesTheSameChannels() {
        for (int inC : new int[] {1, 3, V - 1, V, V + 5, 3 * V}) {
            for (ImageLayout layout : ImageLayout.values()) {
                for (boolean signed : new boolean[] {false, true}) {
                    check(inC, layout, signed);
                }
            }
        }
    }

    private void check(int inC, ImageLayout layout, boolean signed) {
        int height = 3;
        int width = 11;
        int zero = signed ? -7 : 200;
        ConvShape shape = ConvShape.of(inC, height, width, 1, 1, 1);
        ByteInput input = new ByteInput(new QuantizedConvSpec(
                shape,
                layout,
                layout,
                signed,
                zero,
                new QuantizedWeights(new byte[inC], true, new int[] {0}),
                new int[1],
                Requantization.halfEven(new float[] {1}, 0, 0, 255)));
        // The image ends where the array ends, as at the end of a memory.
        byte[] in = bytes(3 + layout.size(inC, height, width));
        for (int channel = 0; channel < inC; channel += V) {
            for (int step : new int[] {1, 2}) {
                int first = width + 1;
                int count = (height * width - first + step - 1) / step;
                float[] target = new float[2 + count * V];
                input.widen(in, 3, channel, first, step, V, target, 2, count);
                float[] one = new float[count];
                input.widen(in, 3, channel, first, step, 1, one, 0, count);
                for (int i = 0; i < count; i++) {
                    for (int c = channel; c < Math.min(channel + V, inC); c++) {
                        int block = layout.block(inC);
                        int at = 3 + c / block * block * height * width + (first + i * step) * block + c % block;
                        assertEquals((signed ? in[at] : in[at] & 0xff) - zero, target[2 + i * V + c - channel]);
                    }
                    assertEquals(target[2 + i * V], one[i]);
                }
            }
        }
    }
}
