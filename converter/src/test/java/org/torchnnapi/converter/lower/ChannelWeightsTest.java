package org.torchnnapi.converter.lower;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import org.junit.jupiter.api.Test;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Quantization;
import org.torchnnapi.tensor.Tensor;

class ChannelWeightsTest {
    private static final double SCALE = 0.1;

    private static Tensor weight(Quantization quantization) {
        return Tensor.of(DType.QINT8, new byte[] {1, 2}, 2, 1).withQuantization(quantization);
    }

    /** As QNNPACK has it: 0.33 is 6.6 steps of 0.05 and 13.2 of 0.025. */
    @Test
    void whatIsAddedIsWholeStepsOfTheProduct() {
        Tensor bias = Tensor.of(new float[] {0.33f, 0.33f}, 2);
        Tensor channels = weight(new Quantization.PerChannel(new double[] {0.5, 0.25}, new double[2], 0, false));
        assertArrayEquals(
                new float[] {0.35f, 0.325f},
                ChannelWeights.stepped(bias, channels, 2, SCALE).toFloatArray(),
                1e-6f);
        assertArrayEquals(
                new float[] {0.35f, 0.35f},
                ChannelWeights.stepped(bias, weight(new Quantization.PerTensor(0.5, 0)), 2, SCALE)
                        .toFloatArray(),
                1e-6f);
        assertArrayEquals(
                new float[2], ChannelWeights.stepped(null, channels, 2, SCALE).toFloatArray());
    }
}
