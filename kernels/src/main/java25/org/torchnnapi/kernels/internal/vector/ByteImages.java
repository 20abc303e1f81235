package org.torchnnapi.kernels.internal.vector;

import static org.torchnnapi.kernels.internal.vector.Lanes.V;

import org.torchnnapi.kernels.ByteEpilogue;

/**
 * The images of bytes that a convolution over floats reads and writes in one run, in place of images of floats.
 *
 * @param after what becomes of each output; null for nothing more
 */
record ByteImages(
        ByteInput input,
        byte[] in,
        int inOffset,
        ByteOutput output,
        byte[] out,
        int outOffset,
        byte[] residual,
        int residualOffset,
        ByteEpilogue after) {
    /** As {@link ByteInput#widen}. */
    void widen(int channel, int pixel, int step, int lanes, float[] target, int at, int count) {
        input.widen(in, inOffset, channel, pixel, step, lanes, target, at, count);
    }

    /** As {@link ByteOutput#narrow}. */
    void narrow(
            float[] sums, int from, int step, int channel, int pixel, int pixelStep, int count, VectorScratch scratch) {
        output.narrow(sums, from, step, channel, out, outOffset, pixel, pixelStep, count, scratch.bytes(V * count));
    }

    /** Does what comes after, if anything does, with {@code channels} of {@code count} pixels of the output. */
    void finish(int channel, int channels, int pixel, int pixelStep, int count) {
        if (after == null) {
            return;
        }
        int block = output.outBlock();
        if (channels == block && pixelStep == 1) {
            finish(output.place(channel, pixel), count * block);
            return;
        }
        for (int i = 0; i < count; i++) {
            int run;
            for (int c = channel; c < channel + channels; c += run) {
                run = Math.min(channel + channels - c, block - c % block);
                finish(output.place(c, pixel + i * pixelStep), run);
            }
        }
    }

    private void finish(int at, int count) {
        after.finish(residual, residualOffset + at, out, outOffset + at, count);
    }
}
