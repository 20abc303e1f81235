package org.torchnnapi.kernels.internal;

import org.torchnnapi.kernels.Activation;
import org.torchnnapi.kernels.ConvShape;
import org.torchnnapi.kernels.ImageLayout;

/**
 * A float convolution as its plan checked it.
 *
 * @param weights as {@link ConvShape#weightCount()} describes
 * @param bias one an output channel, never null
 */
public record FloatConvSpec(ConvShape shape, ImageLayout in, ImageLayout out, float[] weights, float[] bias, Activation activation) {
    public float weight(int outChannel, int inChannelOfGroup, int tap) {
        return weights[weightIndex(shape, outChannel, inChannelOfGroup, tap)];
    }

    /** The place of one weight; {@code tap = ky * kernelW + kx}. */
    public static int weightIndex(ConvShape shape, int outChannel, int inChannelOfGroup, int tap) {
        int taps = shape.kernelH() * shape.kernelW();
        int inPerGroup = shape.inC() / shape.groups();
        if (!shape.transposed()) {
            return (outChannel * inPerGroup + inChannelOfGroup) * taps + tap;
        }
        int outPerGroup = shape.outC() / shape.groups();
        int inChannel = outChannel / outPerGroup * inPerGroup + inChannelOfGroup;
        return (inChannel * outPerGroup + outChannel % outPerGroup) * taps + tap;
    }
}
