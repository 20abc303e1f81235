package org.torchnnapi.kernels.internal;

import org.torchnnapi.kernels.ConvShape;
import org.torchnnapi.kernels.ImageLayout;
import org.torchnnapi.kernels.QuantizedWeights;
import org.torchnnapi.kernels.Requantization;

/**
 * A quantized convolution as its plan checked it.
 *
 * @param bias one an output channel in units of input scale times weight scale, never null
 */
public record QuantizedConvSpec(
        ConvShape shape,
        ImageLayout in,
        ImageLayout out,
        boolean signedInput,
        int inputZeroPoint,
        QuantizedWeights weights,
        int[] bias,
        Requantization requantization) {
    /** The weight less its zero point, within [-255, 255]. */
    public int weight(int outChannel, int inChannelOfGroup, int tap) {
        return weights.centred(FloatConvSpec.weightIndex(shape, outChannel, inChannelOfGroup, tap), outChannel);
    }
}
