package org.torchnnapi.cli.io;

import java.awt.Graphics2D;
import java.awt.RenderingHints;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Iterator;
import javax.imageio.ImageIO;
import javax.imageio.ImageReader;
import javax.imageio.stream.ImageInputStream;
import org.torchnnapi.tensor.Tensor;

/** Pictures as model inputs, the way torchvision's classification presets prepare them. */
public final class Images {
    /** Mean and standard deviation of ImageNet's red, green and blue, as torchvision and org.pytorch state them. */
    private static final float[] MEAN = {0.485f, 0.456f, 0.406f};
    private static final float[] STD = {0.229f, 0.224f, 0.225f};

    /** A file of a few bytes can claim billions; what is drawn takes four bytes for each. */
    private static final long MAX_PIXELS = 1L << 26;

    private Images() {
    }

    /**
     * Reads a picture, scales its shorter side to 256/224 of the crop, cuts the centre, and normalises.
     *
     * @param channels 3 for RGB normalised by ImageNet's mean and deviation, 1 for grey values in [0, 1]
     * @return float32 of shape [1, channels, height, width], row-major
     * @throws CommandFailure if the file is not a picture that can be read
     */
    public static Tensor load(Path file, int channels, int height, int width) {
        if (Files.isDirectory(file)) {
            throw new CommandFailure("image: " + file + " is a folder (expected: a .npy, PNG, JPEG, GIF or BMP file)");
        }
        BufferedImage image;
        try {
            image = read(file);
        } catch (NoSuchFileException e) {
            throw new CommandFailure("file: " + file + " does not exist (expected: a file that can be read)", e);
        } catch (IOException | IllegalArgumentException | IndexOutOfBoundsException | NegativeArraySizeException e) {
            throw new CommandFailure("image: " + file + " cannot be read: " + e.getMessage() + " (expected: a .npy, PNG, JPEG, GIF or BMP file)", e);
        }
        if (image == null) {
            throw new CommandFailure("image: " + file + " has an unknown format (expected: a .npy, PNG, JPEG, GIF or BMP file)");
        }
        BufferedImage cropped = crop(image, height, width);
        float[] data = new float[channels * height * width];
        for (int y = 0; y < height; y++) {
            for (int x = 0; x < width; x++) {
                int rgb = cropped.getRGB(x, y);
                float[] colour = {(rgb >> 16 & 0xFF) / 255f, (rgb >> 8 & 0xFF) / 255f, (rgb & 0xFF) / 255f};
                if (channels == 1) {
                    // Luma of ITU-R BT.601, what PIL's "L" mode and torchvision's Grayscale use.
                    data[y * width + x] = 0.299f * colour[0] + 0.587f * colour[1] + 0.114f * colour[2];
                } else {
                    for (int c = 0; c < 3; c++) {
                        data[(c * height + y) * width + x] = (colour[c] - MEAN[c]) / STD[c];
                    }
                }
            }
        }
        return Tensor.of(data, 1, channels, height, width);
    }

    /** The picture, or null if no reader knows its format; its size is looked at before memory is taken for it. */
    private static BufferedImage read(Path file) throws IOException {
        try (ImageInputStream in = ImageIO.createImageInputStream(file.toFile())) {
            if (in == null) {
                throw new NoSuchFileException(file.toString());
            }
            Iterator<ImageReader> readers = ImageIO.getImageReaders(in);
            if (!readers.hasNext()) {
                return null;
            }
            ImageReader reader = readers.next();
            try {
                reader.setInput(in, true, true);
                long pixels = (long) reader.getWidth(0) * reader.getHeight(0);
                if (pixels > MAX_PIXELS) {
                    throw new CommandFailure("image: " + file + " has " + reader.getWidth(0) + "x" + reader.getHeight(0) + " pixels (expected: at most "
                        + MAX_PIXELS + "; make it smaller)");
                }
                return reader.read(0);
            } finally {
                reader.dispose();
            }
        }
    }

    private static BufferedImage crop(BufferedImage image, int height, int width) {
        double scale = Math.max((double) height / image.getHeight(), (double) width / image.getWidth()) * 256 / 224;
        double scaledWidth = image.getWidth() * scale;
        double scaledHeight = image.getHeight() * scale;
        BufferedImage out = new BufferedImage(width, height, BufferedImage.TYPE_INT_RGB);
        Graphics2D graphics = out.createGraphics();
        graphics.setRenderingHint(RenderingHints.KEY_INTERPOLATION, RenderingHints.VALUE_INTERPOLATION_BILINEAR);
        graphics.drawImage(image, (int) Math.round((width - scaledWidth) / 2), (int) Math.round((height - scaledHeight) / 2),
            (int) Math.round(scaledWidth), (int) Math.round(scaledHeight), null);
        graphics.dispose();
        return out;
    }
}
