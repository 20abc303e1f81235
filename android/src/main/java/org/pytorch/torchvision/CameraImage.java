package org.pytorch.torchvision;

import android.graphics.ImageFormat;
import android.media.Image;
import java.nio.ByteBuffer;

/** Pixels of camera images: three planes, of which those of colour have one value for every two rows and columns. */
final class CameraImage {
    private CameraImage() {}

    /**
     * Red, green and blue of the largest middle part with the wanted proportions, turned clockwise and scaled by
     * nearest pixels.
     */
    static int[] centerCrop(Image image, int degrees, int width, int height) {
        if (degrees != 0 && degrees != 90 && degrees != 180 && degrees != 270) {
            throw new IllegalArgumentException("rotateCWDegrees must be one of 0, 90, 180, 270");
        }
        Pixels.requireSize(width, height);
        if (image.getFormat() != ImageFormat.YUV_420_888) {
            throw new IllegalArgumentException("Image format " + image.getFormat()
                    + " (expected: ImageFormat.YUV_420_888, " + ImageFormat.YUV_420_888 + ")");
        }
        Image.Plane[] planes = image.getPlanes();
        Plane luma = new Plane(planes[0]);
        Plane blue = new Plane(planes[1]);
        Plane red = new Plane(planes[2]);
        boolean sideways = degrees == 90 || degrees == 270;
        int turnedWidth = sideways ? image.getHeight() : image.getWidth();
        int turnedHeight = sideways ? image.getWidth() : image.getHeight();
        boolean wide = (long) turnedWidth * height >= (long) turnedHeight * width;
        int cropWidth = wide ? (int) ((long) turnedHeight * width / height) : turnedWidth;
        int cropHeight = wide ? turnedHeight : (int) ((long) turnedWidth * height / width);
        int left = ((sideways ? image.getWidth() - cropHeight : image.getWidth() - cropWidth)) / 2;
        int top = ((sideways ? image.getHeight() - cropWidth : image.getHeight() - cropHeight)) / 2;
        int[] pixels = new int[Math.multiplyExact(width, height)];
        for (int row = 0; row < height; row++) {
            int y = (int) ((long) row * cropHeight / height);
            for (int column = 0; column < width; column++) {
                int x = (int) ((long) column * cropWidth / width);
                int sourceX = left
                        + switch (degrees) {
                            case 90 -> y;
                            case 180 -> cropWidth - 1 - x;
                            case 270 -> cropHeight - 1 - y;
                            default -> x;
                        };
                int sourceY = top
                        + switch (degrees) {
                            case 90 -> cropWidth - 1 - x;
                            case 180 -> cropHeight - 1 - y;
                            case 270 -> x;
                            default -> y;
                        };
                pixels[row * width + column] = rgb(
                        luma.at(sourceX, sourceY),
                        blue.at(sourceX >> 1, sourceY >> 1),
                        red.at(sourceX >> 1, sourceY >> 1));
            }
        }
        return pixels;
    }

    /** ITU-R BT.601 in video range (luma 16 to 235), its factors in 1024ths. */
    private static int rgb(int y, int u, int v) {
        int light = 1192 * (y - 16);
        int r = light + 1634 * (v - 128);
        int g = light - 832 * (v - 128) - 400 * (u - 128);
        int b = light + 2066 * (u - 128);
        return value(r) << 16 | value(g) << 8 | value(b);
    }

    private static int value(int of1024) {
        return Math.min(Math.max(of1024 >> 10, 0), 255);
    }

    private static final class Plane {
        private final ByteBuffer bytes;
        private final int rowStride;
        private final int pixelStride;

        Plane(Image.Plane plane) {
            bytes = plane.getBuffer();
            rowStride = plane.getRowStride();
            pixelStride = plane.getPixelStride();
        }

        int at(int x, int y) {
            return bytes.get(y * rowStride + x * pixelStride) & 0xFF;
        }
    }
}
