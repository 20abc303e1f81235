package org.pytorch.torchvision;

import java.nio.FloatBuffer;
import org.pytorch.MemoryFormat;
import org.pytorch.Tensor;

/**
 * Makes input tensors of images. Where PyTorch's Android class of this name takes a {@code Bitmap}, this one takes what
 * {@code Bitmap.getPixels} and {@code BufferedImage.getRGB} give: one int a pixel, red, green and blue from bit 16, 8
 * and 0.
 */
public final class TensorImageUtils {
    /** The means that torchvision's models were trained with. */
    public static float[] TORCHVISION_NORM_MEAN_RGB = {0.485f, 0.456f, 0.406f};
    /** The standard deviations that torchvision's models were trained with. */
    public static float[] TORCHVISION_NORM_STD_RGB = {0.229f, 0.224f, 0.225f};

    private TensorImageUtils() {}

    /** As {@link #pixelsToFloat32Tensor(int[], int, int, float[], float[], MemoryFormat)}, contiguous. */
    public static Tensor pixelsToFloat32Tensor(
            int[] pixels, int width, int height, float[] normMeanRGB, float[] normStdRGB) {
        return pixelsToFloat32Tensor(pixels, width, height, normMeanRGB, normStdRGB, MemoryFormat.CONTIGUOUS);
    }

    /**
     * A float32 tensor [1, 3, height, width] of {@code (value / 255 - mean) / std}.
     *
     * @param pixels row after row
     * @param normMeanRGB means of red, green and blue
     * @param normStdRGB standard deviations of red, green and blue
     * @param memoryFormat CONTIGUOUS or CHANNELS_LAST
     * @throws IllegalArgumentException if an argument is of the wrong length or format
     */
    public static Tensor pixelsToFloat32Tensor(
            int[] pixels, int width, int height, float[] normMeanRGB, float[] normStdRGB, MemoryFormat memoryFormat) {
        return Pixels.toTensor(pixels, width, height, normMeanRGB, normStdRGB, memoryFormat);
    }

    /**
     * As {@link #pixelsToFloatBuffer(int[], int, int, float[], float[], FloatBuffer, int, MemoryFormat)}, contiguous.
     */
    public static void pixelsToFloatBuffer(
            int[] pixels,
            int width,
            int height,
            float[] normMeanRGB,
            float[] normStdRGB,
            FloatBuffer outBuffer,
            int outBufferOffset) {
        pixelsToFloatBuffer(
                pixels, width, height, normMeanRGB, normStdRGB, outBuffer, outBufferOffset, MemoryFormat.CONTIGUOUS);
    }

    /**
     * Writes the elements of {@link #pixelsToFloat32Tensor(int[], int, int, float[], float[], MemoryFormat)} into a
     * buffer.
     *
     * @param outBufferOffset index of the first element
     * @throws IllegalStateException if the buffer is too small
     */
    public static void pixelsToFloatBuffer(
            int[] pixels,
            int width,
            int height,
            float[] normMeanRGB,
            float[] normStdRGB,
            FloatBuffer outBuffer,
            int outBufferOffset,
            MemoryFormat memoryFormat) {
        Pixels.write(pixels, width, height, normMeanRGB, normStdRGB, outBuffer, outBufferOffset, memoryFormat);
    }
}
