package org.torchnnapi.nnapi.model;

import java.util.Arrays;

/**
 * The scales of a TENSOR_QUANT8_SYMM_PER_CHANNEL operand.
 *
 * @param channelDim the dimension that has one scale an index
 * @param scales one scale a channel, each above 0
 */
public record ChannelQuantization(int channelDim, float[] scales) {
    public ChannelQuantization {
        scales = scales.clone();
    }

    @Override
    public float[] scales() {
        return scales.clone();
    }

    /** How many scales there are. */
    public int channels() {
        return scales.length;
    }

    /** @param channel from 0 */
    public float scale(int channel) {
        return scales[channel];
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof ChannelQuantization that
                && channelDim == that.channelDim
                && Arrays.equals(scales, that.scales);
    }

    @Override
    public int hashCode() {
        return 31 * channelDim + Arrays.hashCode(scales);
    }

    @Override
    public String toString() {
        return "dim " + channelDim + " scales " + Arrays.toString(scales);
    }
}
