package org.pytorch.torchvision;

import java.nio.FloatBuffer;
import org.pytorch.MemoryFormat;
import org.pytorch.Tensor;

/** Elements of tensors from pixels: one int each, red, green and blue from bit 16, 8 and 0. */
final class Pixels {
    static final int CHANNELS = 3;

    private Pixels() {}

    static Tensor toTensor(int[] pixels, int width, int height, float[] mean, float[] std, MemoryFormat format) {
        requireSize(width, height);
        FloatBuffer buffer = Tensor.allocateFloatBuffer(Math.multiplyExact(CHANNELS, pixels.length));
        write(pixels, width, height, mean, std, buffer, 0, format);
        return Tensor.fromBlob(buffer, new long[] {1, CHANNELS, height, width}, format);
    }

    static void write(
            int[] pixels,
            int width,
            int height,
            float[] mean,
            float[] std,
            FloatBuffer out,
            int offset,
            MemoryFormat format) {
        requireSize(width, height);
        if ((long) width * height != pixels.length) {
            throw new IllegalArgumentException(
                    "pixels: " + pixels.length + " (expected: " + width + " x " + height + ")");
        }
        requireRules(mean, std, format);
        if (offset < 0 || offset + (long) CHANNELS * pixels.length > out.capacity()) {
            throw new IllegalStateException("Buffer underflow");
        }
        boolean interleaved = format == MemoryFormat.CHANNELS_LAST;
        for (int c = 0; c < CHANNELS; c++) {
            int shift = 16 - 8 * c;
            int at = offset + (interleaved ? c : c * pixels.length);
            int step = interleaved ? CHANNELS : 1;
            for (int pixel : pixels) {
                out.put(at, ((pixel >> shift & 0xFF) / 255.0f - mean[c]) / std[c]);
                at += step;
            }
        }
    }

    static void requireSize(int width, int height) {
        if (width <= 0 || height <= 0) {
            throw new IllegalArgumentException("tensorHeight and tensorWidth must be positive");
        }
    }

    static void requireRules(float[] mean, float[] std, MemoryFormat format) {
        if (mean == null || mean.length != CHANNELS) {
            throw new IllegalArgumentException("normMeanRGB length must be 3");
        }
        if (std == null || std.length != CHANNELS) {
            throw new IllegalArgumentException("normStdRGB length must be 3");
        }
        if (format != MemoryFormat.CONTIGUOUS && format != MemoryFormat.CHANNELS_LAST) {
            throw new IllegalArgumentException("Unsupported memory format " + format);
        }
    }
}
