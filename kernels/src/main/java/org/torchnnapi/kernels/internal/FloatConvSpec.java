package org.torchnnapi.kernels.internal;

import org.torchnnapi.kernels.Activation;
import org.torchnnapi.kernels.ConvShape;
import org.torchnnapi.kernels.ImageLayout;
import org.torchnnapi.kernels.Precision;
import org.torchnnapi.kernels.Weights;

/**
 * A float convolution as its plan checked it.
 *
 * @param constants the weights, as {@link ConvShape#weightCount()} describes; they are read once at most
 * @param bias one an output channel, never null
 */
public record FloatConvSpec(
        ConvShape shape,
        ImageLayout in,
        ImageLayout out,
        Weights constants,
        float[] bias,
        Activation activation,
        Precision precision) {
    /** In floats of 32 bits. */
    public FloatConvSpec(
            ConvShape shape, ImageLayout in, ImageLayout out, Weights constants, float[] bias, Activation activation) {
        this(shape, in, out, constants, bias, activation, Precision.FLOAT32);
    }

    public FloatConvSpec {
        constants = constants instanceof OnceRead ? constants : new OnceRead(constants);
    }

    /** The weights, read if they were not yet. */
    public float[] weights() {
        return constants.values();
    }

    public float weight(int outChannel, int inChannelOfGroup, int tap) {
        return constants.values()[weightIndex(shape, outChannel, inChannelOfGroup, tap)];
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
