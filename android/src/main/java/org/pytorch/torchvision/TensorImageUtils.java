package org.pytorch.torchvision;

import android.graphics.Bitmap;
import android.media.Image;
import java.nio.FloatBuffer;
import org.pytorch.MemoryFormat;
import org.pytorch.Tensor;

/**
 * Makes input tensors of images: bitmaps, camera images, and pixels as {@code Bitmap.getPixels} gives them. Any thread
 * may call.
 */
public final class TensorImageUtils {
    /** The means that torchvision's models were trained with. */
    public static float[] TORCHVISION_NORM_MEAN_RGB = {0.485f, 0.456f, 0.406f};
    /** The standard deviations that torchvision's models were trained with. */
    public static float[] TORCHVISION_NORM_STD_RGB = {0.229f, 0.224f, 0.225f};

    private TensorImageUtils() {}

    /**
     * The whole bitmap, contiguous; see {@link #bitmapToFloat32Tensor(Bitmap, int, int, int, int, float[], float[],
     * MemoryFormat)}.
     */
    public static Tensor bitmapToFloat32Tensor(Bitmap bitmap, float[] normMeanRGB, float[] normStdRGB) {
        return bitmapToFloat32Tensor(bitmap, normMeanRGB, normStdRGB, MemoryFormat.CONTIGUOUS);
    }

    /**
     * The whole bitmap; see {@link #bitmapToFloat32Tensor(Bitmap, int, int, int, int, float[], float[], MemoryFormat)}.
     */
    public static Tensor bitmapToFloat32Tensor(
            Bitmap bitmap, float[] normMeanRGB, float[] normStdRGB, MemoryFormat memoryFormat) {
        return bitmapToFloat32Tensor(
                bitmap, 0, 0, bitmap.getWidth(), bitmap.getHeight(), normMeanRGB, normStdRGB, memoryFormat);
    }

    /** Contiguous; see {@link #bitmapToFloat32Tensor(Bitmap, int, int, int, int, float[], float[], MemoryFormat)}. */
    public static Tensor bitmapToFloat32Tensor(
            Bitmap bitmap, int x, int y, int width, int height, float[] normMeanRGB, float[] normStdRGB) {
        return bitmapToFloat32Tensor(bitmap, x, y, width, height, normMeanRGB, normStdRGB, MemoryFormat.CONTIGUOUS);
    }

    /**
     * A float32 tensor [1, 3, height, width] of {@code (value / 255 - mean) / std} from a part of a bitmap.
     *
     * @param x the part's first column
     * @param y the part's first row
     * @param normMeanRGB means of red, green and blue
     * @param normStdRGB standard deviations of red, green and blue
     * @param memoryFormat CONTIGUOUS or CHANNELS_LAST
     * @throws IllegalArgumentException if an argument is of the wrong length or format, or the part is not inside the
     *     bitmap
     */
    public static Tensor bitmapToFloat32Tensor(
            Bitmap bitmap,
            int x,
            int y,
            int width,
            int height,
            float[] normMeanRGB,
            float[] normStdRGB,
            MemoryFormat memoryFormat) {
        Pixels.requireRules(normMeanRGB, normStdRGB, memoryFormat);
        return Pixels.toTensor(
                pixels(bitmap, x, y, width, height), width, height, normMeanRGB, normStdRGB, memoryFormat);
    }

    /**
     * Contiguous; see {@link #bitmapToFloatBuffer(Bitmap, int, int, int, int, float[], float[], FloatBuffer, int,
     * MemoryFormat)}.
     */
    public static void bitmapToFloatBuffer(
            Bitmap bitmap,
            int x,
            int y,
            int width,
            int height,
            float[] normMeanRGB,
            float[] normStdRGB,
            FloatBuffer outBuffer,
            int outBufferOffset) {
        bitmapToFloatBuffer(
                bitmap,
                x,
                y,
                width,
                height,
                normMeanRGB,
                normStdRGB,
                outBuffer,
                outBufferOffset,
                MemoryFormat.CONTIGUOUS);
    }

    /**
     * Writes the elements of {@link #bitmapToFloat32Tensor(Bitmap, int, int, int, int, float[], float[], MemoryFormat)}
     * into a buffer.
     *
     * @param outBufferOffset index of the first element
     * @throws IllegalStateException if the buffer is too small
     */
    public static void bitmapToFloatBuffer(
            Bitmap bitmap,
            int x,
            int y,
            int width,
            int height,
            float[] normMeanRGB,
            float[] normStdRGB,
            FloatBuffer outBuffer,
            int outBufferOffset,
            MemoryFormat memoryFormat) {
        Pixels.requireRules(normMeanRGB, normStdRGB, memoryFormat);
        Pixels.write(
                pixels(bitmap, x, y, width, height),
                width,
                height,
                normMeanRGB,
                normStdRGB,
                outBuffer,
                outBufferOffset,
                memoryFormat);
    }

    private static int[] pixels(Bitmap bitmap, int x, int y, int width, int height) {
        Pixels.requireSize(width, height);
        if (x < 0 || y < 0 || width > bitmap.getWidth() - x || height > bitmap.getHeight() - y) {
            throw new IllegalArgumentException("part of the bitmap: " + width + " x " + height + " from " + x + ", " + y
                    + " (expected: inside " + bitmap.getWidth() + " x " + bitmap.getHeight() + ")");
        }
        int[] pixels = new int[Math.multiplyExact(width, height)];
        bitmap.getPixels(pixels, 0, width, x, y, width, height);
        return pixels;
    }

    /**
     * Contiguous; see {@link #imageYUV420CenterCropToFloat32Tensor(Image, int, int, int, float[], float[],
     * MemoryFormat)}.
     */
    public static Tensor imageYUV420CenterCropToFloat32Tensor(
            Image image,
            int rotateCWDegrees,
            int tensorWidth,
            int tensorHeight,
            float[] normMeanRGB,
            float[] normStdRGB) {
        return imageYUV420CenterCropToFloat32Tensor(
                image, rotateCWDegrees, tensorWidth, tensorHeight, normMeanRGB, normStdRGB, MemoryFormat.CONTIGUOUS);
    }

    /**
     * A float32 tensor [1, 3, tensorHeight, tensorWidth] from the middle of a camera image, turned clockwise and scaled
     * by nearest pixels. The image is of {@code ImageFormat.YUV_420_888}, its values of BT.601 in video range.
     *
     * @param rotateCWDegrees 0, 90, 180 or 270
     * @throws IllegalArgumentException if an argument is of the wrong length or format
     */
    public static Tensor imageYUV420CenterCropToFloat32Tensor(
            Image image,
            int rotateCWDegrees,
            int tensorWidth,
            int tensorHeight,
            float[] normMeanRGB,
            float[] normStdRGB,
            MemoryFormat memoryFormat) {
        Pixels.requireRules(normMeanRGB, normStdRGB, memoryFormat);
        return Pixels.toTensor(
                CameraImage.centerCrop(image, rotateCWDegrees, tensorWidth, tensorHeight),
                tensorWidth,
                tensorHeight,
                normMeanRGB,
                normStdRGB,
                memoryFormat);
    }

    /**
     * Contiguous; see {@link #imageYUV420CenterCropToFloatBuffer(Image, int, int, int, float[], float[], FloatBuffer,
     * int, MemoryFormat)}.
     */
    public static void imageYUV420CenterCropToFloatBuffer(
            Image image,
            int rotateCWDegrees,
            int tensorWidth,
            int tensorHeight,
            float[] normMeanRGB,
            float[] normStdRGB,
            FloatBuffer outBuffer,
            int outBufferOffset) {
        imageYUV420CenterCropToFloatBuffer(
                image,
                rotateCWDegrees,
                tensorWidth,
                tensorHeight,
                normMeanRGB,
                normStdRGB,
                outBuffer,
                outBufferOffset,
                MemoryFormat.CONTIGUOUS);
    }

    /**
     * Writes the elements of {@link #imageYUV420CenterCropToFloat32Tensor(Image, int, int, int, float[], float[],
     * MemoryFormat)} into a buffer.
     *
     * @param outBufferOffset index of the first element
     * @throws IllegalStateException if the buffer is too small
     */
    public static void imageYUV420CenterCropToFloatBuffer(
            Image image,
            int rotateCWDegrees,
            int tensorWidth,
            int tensorHeight,
            float[] normMeanRGB,
            float[] normStdRGB,
            FloatBuffer outBuffer,
            int outBufferOffset,
            MemoryFormat memoryFormat) {
        Pixels.requireRules(normMeanRGB, normStdRGB, memoryFormat);
        Pixels.write(
                CameraImage.centerCrop(image, rotateCWDegrees, tensorWidth, tensorHeight),
                tensorWidth,
                tensorHeight,
                normMeanRGB,
                normStdRGB,
                outBuffer,
                outBufferOffset,
                memoryFormat);
    }

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
