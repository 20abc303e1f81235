package org.torchnnapi.api;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.torchnnapi.image.RgbImage;

class ImageFileTest {
    private static byte[] picture(String name) throws IOException {
        try (InputStream in = ImageFileTest.class.getResourceAsStream("images/" + name)) {
            return in.readAllBytes();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "4-2-0.jpg",
                "progressive.jpg",
                "grey.jpg",
                "inks.jpg",
                "rgba.png",
                "palette.png",
                "rgb.gif",
                "rgb.bmp",
                "rgb.webp"
            })
    void pictureThatEndsTooEarlyIsRefused(String name) throws IOException {
        byte[] whole = picture(name);
        for (int percent : new int[] {5, 30, 50, 80, 95}) {
            byte[] cut = Arrays.copyOf(whole, whole.length * percent / 100);
            UnreadableImageException e = assertThrows(
                    UnreadableImageException.class, () -> ImageFile.reader().read(cut), percent + " % of " + name);
            assertTrue(e.getMessage().contains("expected: "), e.getMessage());
        }
    }

    /** A byte that is another one: never anything but a picture or the one exception. */
    @ParameterizedTest
    @ValueSource(
            strings = {"4-2-0.jpg", "orientation-6.jpg", "inks.jpg", "rgba.png", "rgb.gif", "rgb.bmp", "rgba.webp"})
    void changedBytesEndWell(String name) throws IOException {
        byte[] whole = picture(name);
        for (int i = 0; i < 400; i++) {
            byte[] changed = whole.clone();
            changed[i * Math.max(1, whole.length / 400) % whole.length] ^= (byte) (1 << i % 8);
            try {
                ImageFile.reader().upright().withMostPixels(1 << 20).read(changed);
            } catch (UnreadableImageException e) {
                assertTrue(e.getMessage().contains("expected: "), e.getMessage());
            }
        }
    }

    @Test
    void sizeIsLookedAtBeforePixels() throws IOException {
        byte[] large = picture("grey.jpg");
        int frame = 0;
        while (large[frame] != (byte) 0xFF || large[frame + 1] != (byte) 0xC0) {
            frame++;
        }
        Arrays.fill(large, frame + 5, frame + 9, (byte) 0xF0);
        UnreadableImageException e = assertThrows(
                UnreadableImageException.class, () -> ImageFile.reader().read(large));
        assertEquals("61680 x 61680 pixels (expected: at most 67108864)", e.getMessage());
        UnreadableImageException smaller = assertThrows(
                UnreadableImageException.class,
                () -> ImageFile.reader().withMostPixels(100).read(picture("rgba.png")));
        assertEquals("61 x 43 pixels (expected: at most 100)", smaller.getMessage());
    }

    /** A frame of 50 million pixels, of which the file ends after one. */
    @Test
    void sizeIsWhatTheBytesCanHold() throws IOException {
        byte[] changed = picture("rgb.gif");
        int frame = 13 + 3 * (2 << (changed[10] & 7));
        while (changed[frame] != 0x2C) {
            frame += changed[frame] == 0x21 ? 8 : 1;
        }
        changed[frame + 5] = (byte) 0xF5;
        changed[frame + 6] = (byte) 0xFF;
        changed[frame + 7] = (byte) 0x00;
        changed[frame + 8] = (byte) 0x03;
        byte[] cut = Arrays.copyOf(changed, frame + 200);
        UnreadableImageException e = assertThrows(
                UnreadableImageException.class, () -> ImageFile.reader().read(cut));
        assertEquals(
                "damaged: 65525 x 768 pixels in " + cut.length + " bytes (expected: a whole picture)", e.getMessage());
    }

    /** Where no reader takes one the error names what does. */
    @Test
    void webPTakesAReader() throws IOException {
        byte[] picture = picture("rgb.webp");
        UnreadableImageException large = assertThrows(
                UnreadableImageException.class,
                () -> ImageFile.reader().withMostPixels(1000).read(picture));
        assertEquals("91 x 67 pixels (expected: at most 1000)", large.getMessage());
        byte[] unknown = picture.clone();
        Arrays.fill(unknown, 12, 16, (byte) '?');
        UnreadableImageException e = assertThrows(
                UnreadableImageException.class, () -> ImageFile.reader().read(unknown));
        assertTrue(e.getMessage().startsWith("a WebP picture that no reader takes (expected: "), e.getMessage());
        assertTrue(
                e.getMessage().endsWith("; or com.twelvemonkeys.imageio:imageio-webp on the class path)"),
                e.getMessage());
    }

    @Test
    void otherFilesAreSaid(@TempDir Path folder) throws IOException {
        Path text = folder.resolve("x.jpg");
        Files.write(text, "no picture".getBytes(StandardCharsets.US_ASCII));
        UnreadableImageException e = assertThrows(
                UnreadableImageException.class, () -> ImageFile.reader().read(text));
        assertTrue(e.getMessage().startsWith("unknown format (expected: BMP, GIF, JPEG, PNG"), e.getMessage());
        assertThrows(FileNotFoundException.class, () -> ImageFile.reader().read(folder));
    }

    @Test
    void fileAndItsBytesAreTheSame(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("x");
        Files.write(file, picture("4-2-2.jpg"));
        RgbImage image = ImageFile.reader().read(file);
        assertArrayEquals(ImageFile.reader().read(picture("4-2-2.jpg")).pixels(), image.pixels());
    }
}
