package org.torchnnapi.samples.spark;

import java.awt.Graphics2D;
import java.awt.RenderingHints;
import java.awt.image.BufferedImage;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import javax.imageio.ImageIO;
import javax.imageio.stream.MemoryCacheImageInputStream;

/** A picture as the digits network takes it: 8 by 8 grey values from -1 to 1, each as a square of 4 by 4 pixels in three equal channels. */
final class DigitPicture {
    static final int CHANNELS = 3;
    static final int SIDE = 32;
    static final int ELEMENTS = CHANNELS * SIDE * SIDE;
    private static final int GREYS = 8;

    private DigitPicture() {
    }

    /** @throws IOException if the bytes are no picture */
    static float[] read(byte[] file) throws IOException {
        // Of a plain stream ImageIO would make a temporary file.
        BufferedImage picture = ImageIO.read(new MemoryCacheImageInputStream(new ByteArrayInputStream(file)));
        if (picture == null) {
            throw new IOException("picture: of an unknown format (expected: PNG, JPEG, GIF or BMP)");
        }
        BufferedImage small = new BufferedImage(GREYS, GREYS, BufferedImage.TYPE_INT_RGB);
        Graphics2D graphics = small.createGraphics();
        graphics.setRenderingHint(RenderingHints.KEY_INTERPOLATION, RenderingHints.VALUE_INTERPOLATION_BILINEAR);
        graphics.drawImage(picture, 0, 0, GREYS, GREYS, null);
        graphics.dispose();
        float[] elements = new float[ELEMENTS];
        for (int at = 0; at < ELEMENTS; at++) {
            int rgb = small.getRGB(at % SIDE * GREYS / SIDE, at / SIDE % SIDE * GREYS / SIDE);
            int grey = ((rgb >> 16 & 255) + (rgb >> 8 & 255) + (rgb & 255)) / 3;
            // The network was trained on 17 grey values.
            elements[at] = Math.round(grey * 16 / 255f) / 8f - 1;
        }
        return elements;
    }
}
