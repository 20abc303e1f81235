package org.torchnnapi.samples.spark;

import java.io.IOException;
import org.torchnnapi.api.ImageFile;
import org.torchnnapi.image.ImagePreprocessing;

/**
 * A picture as the digits network takes it: 8 by 8 grey values from -1 to 1, each as a square of 4 by 4 pixels in three
 * equal channels.
 */
final class DigitPicture {
    static final int CHANNELS = 3;
    static final int SIDE = 32;
    static final int ELEMENTS = CHANNELS * SIDE * SIDE;
    private static final int GREYS = 8;
    private static final ImageFile READER = ImageFile.reader().withMostPixels(1 << 22);
    private static final ImagePreprocessing SMALL = ImagePreprocessing.none().withResize(GREYS, GREYS);

    private DigitPicture() {}

    /** @throws IOException if the bytes are no whole picture, or one of too many pixels */
    static float[] read(byte[] file) throws IOException {
        byte[] small = SMALL.arrange(READER.read(file)).pixels();
        float[] elements = new float[ELEMENTS];
        for (int at = 0; at < ELEMENTS; at++) {
            int row = at / SIDE % SIDE * GREYS / SIDE;
            int pixel = CHANNELS * (row * GREYS + at % SIDE * GREYS / SIDE);
            int grey = ((small[pixel] & 255) + (small[pixel + 1] & 255) + (small[pixel + 2] & 255)) / CHANNELS;
            // The network was trained on 17 grey values.
            elements[at] = Math.round(grey * 16 / 255f) / 8f - 1;
        }
        return elements;
    }
}
