package org.torchnnapi.kernels.internal.natives;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.torchnnapi.kernels.QuantizedWeights;
import org.torchnnapi.tensor.platform.Buffers;

/**
 * Weights less their zero points in panels of output channels, as dot products read them, and each channel's sum:
 * weights.c packs them.
 */
final class WeightPanels {
    /** Output channels of a panel. */
    static final int PANEL = NativeLibrary.number("panel");
    /** Quads of a channel's weights that lie together. */
    private static final int QUADS_TOGETHER = NativeLibrary.number("depth") / 4;

    /** The panels, zeros past the last channel, behind which the sums are. */
    private final NativeMemory memory;

    private final int channels;

    /**
     * @param channels of the output
     * @param inputs of a tap
     * @param taps where each tap's weights begin in those of an output channel
     * @param runTaps so many taps make a run, which begins on a quad of bytes
     * @param quads of a run, at least as many as its taps' inputs fill
     * @param channelStep from an output channel's first weight to that of the next
     * @param inputStep from an input's weight to that of the next
     */
    WeightPanels(
            QuantizedWeights weights,
            int channels,
            int inputs,
            int[] taps,
            int runTaps,
            int quads,
            int channelStep,
            int inputStep) {
        this.channels = channels;
        int packedQuads = (quads + QUADS_TOGETHER - 1) / QUADS_TOGETHER * QUADS_TOGETHER;
        int panelBytes = Math.multiplyExact(taps.length / runTaps * packedQuads, PANEL * 4);
        NativeMemory packing = new PackingStruct()
                .taps(NativeMemory.copyOf(taps))
                .zeros(NativeMemory.copyOf(WeightBytes.zeroPoints(weights, channels)))
                .channels(inputs)
                .tapCount(taps.length)
                .runTaps(runTaps)
                .quads(quads)
                .outStep(channelStep)
                .channelStep(inputStep)
                .memory();
        List<Object> form =
                new ArrayList<>(List.of(WeightPanels.class, channels, inputs, runTaps, quads, channelStep, inputStep));
        Arrays.stream(taps).forEach(form::add);
        memory = PackedWeightCache.of(
                weights,
                form,
                Math.multiplyExact((long) count(channels), panelBytes) + (long) Integer.BYTES * channels,
                packed -> WeightsCalls.weightsPack(packing, weights.values(), packed, channels));
    }

    /** Panels of so many output channels. */
    static int count(int channels) {
        return (channels + PANEL - 1) / PANEL;
    }

    NativeMemory memory() {
        return memory;
    }

    /** The sum of each channel's weights, zeros up to a whole panel. */
    int[] sums() {
        int[] sums = new int[count(channels) * PANEL];
        int panelsEnd = memory.size() - Integer.BYTES * channels;
        ByteBuffer bytes = Buffers.slice(memory.bytes(), panelsEnd, Integer.BYTES * channels)
                .order(ByteOrder.nativeOrder());
        bytes.asIntBuffer().get(sums, 0, channels);
        return sums;
    }
}
