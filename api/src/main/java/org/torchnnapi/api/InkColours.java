package org.torchnnapi.api;

import java.awt.image.Raster;
import org.torchnnapi.image.RgbImage;
import org.torchnnapi.tensor.platform.OnJdkOnly;

/** Pictures of cyan, magenta, yellow and black in red, green and blue, by Pillow's plain formula without profiles. */
@OnJdkOnly
final class InkColours {
    private static final int INKS = 4;
    private static final int BYTE = 8;
    private static final int TRANSFORMED = 2;
    private static final int FRACTION_BITS = 16;
    private static final int HALF = 1 << (FRACTION_BITS - 1);

    private InkColours() {}

    static RgbImage convert(Raster raster, JpegHeader header) {
        int width = raster.getWidth();
        int height = raster.getHeight();
        byte[] out = new byte[3 * width * height];
        int[] row = new int[INKS * width];
        for (int y = 0; y < height; y++) {
            raster.getPixels(0, y, width, 1, row);
            for (int x = 0; x < width; x++) {
                int at = INKS * x;
                if (header.transform() == TRANSFORMED) {
                    inks(row, at);
                }
                // Programs that write Adobe's marker store inks the other way round.
                int flip = header.adobe() ? 255 : 0;
                int light = 255 - (row[at + 3] ^ flip);
                for (int c = 0; c < 3; c++) {
                    out[3 * (y * width + x) + c] = (byte) Math.max(0, light - product(row[at + c] ^ flip, light));
                }
            }
        }
        return new RgbImage(width, height, out);
    }

    /** Of luma and two colour differences, the inks; black stays. */
    private static void inks(int[] row, int at) {
        int luma = row[at];
        int blue = row[at + 1] - 128;
        int red = row[at + 2] - 128;
        row[at] = clipped(255 - (luma + rounded(1.402, red)));
        row[at + 1] = clipped(255 - (luma + (-fixed(0.34414) * blue - fixed(0.71414) * red + HALF >> FRACTION_BITS)));
        row[at + 2] = clipped(255 - (luma + rounded(1.772, blue)));
    }

    private static int fixed(double factor) {
        return (int) (factor * (1 << FRACTION_BITS) + 0.5);
    }

    private static int rounded(double factor, int value) {
        return fixed(factor) * value + HALF >> FRACTION_BITS;
    }

    private static int clipped(int value) {
        return Math.max(0, Math.min(255, value));
    }

    /** Of two bytes as shares of 255, rounded. */
    private static int product(int a, int b) {
        int sum = a * b + 128;
        return (sum >> BYTE) + sum >> BYTE;
    }
}
