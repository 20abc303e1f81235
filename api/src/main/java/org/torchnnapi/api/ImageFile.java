package org.torchnnapi.api;

import java.awt.image.BufferedImage;
import java.awt.image.ColorModel;
import java.awt.image.DataBuffer;
import java.awt.image.IndexColorModel;
import java.awt.image.PackedColorModel;
import java.awt.image.Raster;
import java.io.ByteArrayInputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import javax.imageio.ImageIO;
import javax.imageio.ImageReader;
import javax.imageio.stream.ImageInputStream;
import javax.imageio.stream.MemoryCacheImageInputStream;
import org.torchnnapi.image.RgbImage;
import org.torchnnapi.tensor.platform.OnJdkOnly;

/**
 * Reads pictures by {@link ImageIO} with Pillow's colours: PNG, JPEG, GIF, BMP, and what its plug-ins on the path read:
 * WebP with {@code com.twelvemonkeys.imageio:imageio-webp}, which has Pillow's colours for lossless files, and for
 * lossy ones those of the nearest chroma sample, where Pillow interpolates. Alpha is dropped, colour profiles are not
 * applied, of several pictures the first is taken. A picture that ends too early is an error. Needs the JDK's module
 * {@code java.desktop}.
 */
@OnJdkOnly
public final class ImageFile {
    /** The most pixels that are read where nothing is said: 8192 x 8192. */
    public static final long MOST_PIXELS = 1L << 26;

    /**
     * The most pixels that a byte can hold: deflate packs 1032 bytes into one (its longest match in two bits), of eight
     * pixels each. GIF (4095 pixels in 12 bits), BMP and JPEG pack less.
     */
    private static final long MOST_PIXELS_IN_A_BYTE = 8 * 1032;

    /** The formats of which that is so, as ImageIO calls them. */
    private static final Set<String> BOUNDED = Set.of("png", "gif", "jpeg", "jpg", "bmp");

    private static final String WEBP_READER = "com.twelvemonkeys.imageio:imageio-webp";
    private static final byte[] WEBP = "WEBP".getBytes(StandardCharsets.US_ASCII);
    /** Behind the name of the container and its length. */
    private static final int WEBP_AT = 8;

    private static final int COLOURS = 3;
    private static final int BYTE = 8;

    private final boolean upright;
    private final long mostPixels;

    private ImageFile(boolean upright, long mostPixels) {
        this.upright = upright;
        this.mostPixels = mostPixels;
    }

    /** As stored, whatever the camera says of its position, as torchvision does. */
    public static ImageFile reader() {
        return new ImageFile(false, MOST_PIXELS);
    }

    /** Turns pictures as the camera was held (EXIF's orientation, in JPEG files). */
    public ImageFile upright() {
        return new ImageFile(true, mostPixels);
    }

    /** @param pixels the most that are read; looked at before memory is taken for them */
    public ImageFile withMostPixels(long pixels) {
        if (pixels < 1) {
            throw new IllegalArgumentException("pixels: " + pixels + " (expected: >= 1)");
        }
        return new ImageFile(upright, pixels);
    }

    /**
     * @throws UnreadableImageException if the file holds no whole picture of a known format, or one of too many pixels
     * @throws IOException if the file cannot be read
     */
    public RgbImage read(Path file) throws IOException {
        if (!Files.isRegularFile(file)) {
            throw new FileNotFoundException(file + " (expected: a file)");
        }
        try (ImageInputStream in = ImageIO.createImageInputStream(file.toFile())) {
            if (in == null) {
                throw new FileNotFoundException(file + " (expected: a file that can be read)");
            }
            return read(in, Files.size(file));
        }
    }

    /** @throws UnreadableImageException as of {@link #read(Path)} */
    public RgbImage read(byte[] bytes) throws IOException {
        // Of a plain stream ImageIO would make a temporary file.
        try (ImageInputStream in = new MemoryCacheImageInputStream(new ByteArrayInputStream(bytes))) {
            return read(in, bytes.length);
        }
    }

    private RgbImage read(ImageInputStream in, long bytes) throws IOException {
        Iterator<ImageReader> readers = ImageIO.getImageReaders(in);
        if (!readers.hasNext()) {
            throw new UnreadableImageException(
                    (isWebP(in) ? "a WebP picture that no reader takes" : "unknown format") + " (expected: " + formats()
                            + (isWebP(in) ? "; or " + WEBP_READER + " on the class path" : "") + ")");
        }
        ImageReader reader = readers.next();
        try {
            int orientation = upright ? JpegHeader.read(in).orientation() : 1;
            if (isWebP(in)) {
                requireWhole(in, bytes);
            }
            in.seek(0);
            reader.setInput(in, true, false);
            long width = reader.getWidth(0);
            long height = reader.getHeight(0);
            if (width * height > mostPixels) {
                throw new UnreadableImageException(
                        width + " x " + height + " pixels (expected: at most " + mostPixels + ")");
            }
            String format = reader.getFormatName().toLowerCase(Locale.ROOT);
            if (BOUNDED.contains(format) && width * height > MOST_PIXELS_IN_A_BYTE * bytes) {
                throw new UnreadableImageException("damaged: " + width + " x " + height + " pixels in " + bytes
                        + " bytes (expected: a whole picture)");
            }
            List<String> warnings = new ArrayList<>();
            reader.addIIOReadWarningListener((source, warning) -> warnings.add(warning));
            RgbImage image = format.startsWith("jp") ? readJpeg(reader, in) : pixels(reader.read(0));
            for (String warning : warnings) {
                if (isDamage(warning)) {
                    throw new UnreadableImageException("damaged: " + warning + " (expected: a whole picture)");
                }
            }
            return image.upright(orientation);
        } catch (UnreadableImageException e) {
            throw e;
        } catch (IOException | RuntimeException e) {
            // Readers throw what comes: IllegalArgumentException, NegativeArraySizeException and others.
            String message = e.getMessage() == null ? e.toString() : e.getMessage();
            throw new UnreadableImageException("damaged: " + message + " (expected: a whole picture)", e);
        } finally {
            reader.dispose();
        }
    }

    private static boolean isWebP(ImageInputStream in) throws IOException {
        byte[] mark = new byte[WEBP.length];
        in.seek(WEBP_AT);
        return in.read(mark) == mark.length && Arrays.equals(mark, WEBP);
    }

    /** Its container says how long it is; readers take what is missing for zeros. */
    private static void requireWhole(ImageInputStream in, long bytes) throws IOException {
        in.seek(WEBP_AT - Integer.BYTES);
        in.setByteOrder(ByteOrder.LITTLE_ENDIAN);
        long whole = WEBP_AT + in.readUnsignedInt();
        in.setByteOrder(ByteOrder.BIG_ENDIAN);
        if (bytes < whole) {
            throw new UnreadableImageException(
                    "damaged: " + bytes + " bytes (expected: " + whole + ", a whole picture)");
        }
    }

    /**
     * What libjpeg tells of a file that lacks pixels; bytes too many between markers, as some cameras write, lack none.
     */
    private static boolean isDamage(String warning) {
        return warning.startsWith("Premature end")
                || warning.startsWith("Corrupt JPEG data") && !warning.contains("extraneous bytes");
    }

    private static String formats() {
        List<String> names = new ArrayList<>();
        for (String name : ImageIO.getReaderFormatNames()) {
            String upper = name.toUpperCase(Locale.ROOT);
            if (!names.contains(upper) && !upper.equals("JPG") && !upper.equals("WBMP")) {
                names.add(upper);
            }
        }
        names.sort(null);
        return String.join(", ", names);
    }

    private static RgbImage readJpeg(ImageReader reader, ImageInputStream in) throws IOException {
        long position = in.getStreamPosition();
        JpegHeader header = JpegHeader.read(in);
        in.seek(position);
        if (header.components() != 4) {
            return pixels(reader.read(0));
        }
        // ImageIO has no colours for these.
        return InkColours.convert(reader.readRaster(0, null), header);
    }

    /** The samples as they are stored: getRGB would bend those of grey pictures and of colour profiles. */
    private static RgbImage pixels(BufferedImage image) throws UnreadableImageException {
        int width = image.getWidth();
        int height = image.getHeight();
        Raster raster = image.getRaster();
        ColorModel colours = image.getColorModel();
        byte[] out = new byte[COLOURS * width * height];
        int bands = raster.getNumBands();
        boolean palette = colours instanceof IndexColorModel;
        boolean packed = colours instanceof PackedColorModel;
        boolean wide = raster.getDataBuffer().getDataType() == DataBuffer.TYPE_USHORT && !packed && !palette;
        if (!palette && !packed && !wide && raster.getSampleModel().getSampleSize(0) != BYTE) {
            throw new UnreadableImageException(
                    "samples of " + raster.getSampleModel().getSampleSize(0) + " bits (expected: 8 or 16)");
        }
        int[] row = new int[bands * width];
        for (int y = 0; y < height; y++) {
            raster.getPixels(0, y, width, 1, row);
            for (int x = 0; x < width; x++) {
                int to = COLOURS * (y * width + x);
                if (palette) {
                    int rgb = colours.getRGB(row[x]);
                    out[to] = (byte) (rgb >> 16);
                    out[to + 1] = (byte) (rgb >> 8);
                    out[to + 2] = (byte) rgb;
                    continue;
                }
                for (int c = 0; c < COLOURS; c++) {
                    int band = bands < COLOURS ? 0 : c;
                    int sample = row[bands * x + band];
                    out[to + c] = (byte)
                            (packed
                                    ? scaled(sample, colours.getComponentSize(band))
                                    // Pillow reads grey of 16 bits as numbers, and cuts those off that are too large.
                                    : wide ? bands < COLOURS ? Math.min(255, sample) : sample >> BYTE : sample);
                }
            }
        }
        return new RgbImage(width, height, out);
    }

    /** Of fewer bits, brought to 8. */
    private static int scaled(int sample, int bits) {
        return bits == BYTE ? sample : sample * 255 / ((1 << bits) - 1);
    }
}
