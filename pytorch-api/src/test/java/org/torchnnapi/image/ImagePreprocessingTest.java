package org.torchnnapi.image;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.pytorch.Tensor;

class ImagePreprocessingTest {
    /** Two pixels beside each other: (10, 20, 30) and (40, 50, 60). */
    private static final RgbImage TWO = new RgbImage(2, 1, new byte[] {10, 20, 30, 40, 50, 60});

    private static final ImagePreprocessing BYTES = ImagePreprocessing.none().withScale(1);

    private static RgbImage plain(int width, int height) {
        byte[] pixels = new byte[3 * width * height];
        Arrays.fill(pixels, (byte) 200);
        return new RgbImage(width, height, pixels);
    }

    @Test
    void layoutsAndOrders() {
        Tensor planes = BYTES.tensor(TWO);
        assertArrayEquals(new long[] {1, 3, 1, 2}, planes.shape());
        assertArrayEquals(new float[] {10, 40, 20, 50, 30, 60}, planes.getDataAsFloatArray());
        Tensor pixels = BYTES.withLayout(ImagePreprocessing.Layout.NHWC).tensor(TWO);
        assertArrayEquals(new long[] {1, 1, 2, 3}, pixels.shape());
        assertArrayEquals(new float[] {10, 20, 30, 40, 50, 60}, pixels.getDataAsFloatArray());
        Tensor reversed =
                BYTES.withBgr(true).withLayout(ImagePreprocessing.Layout.CHW).tensor(TWO);
        assertArrayEquals(new long[] {3, 1, 2}, reversed.shape());
        assertArrayEquals(new float[] {30, 60, 20, 50, 10, 40}, reversed.getDataAsFloatArray());
        assertArrayEquals(
                new long[] {1, 2, 3},
                BYTES.withLayout(ImagePreprocessing.Layout.HWC).tensor(TWO).shape());
    }

    /** Means and deviations belong to red, green and blue, whatever the order of the result. */
    @Test
    void normalisesColourByColour() {
        ImagePreprocessing given = BYTES.withMean(10, 20, 30).withStd(10, 15, 5);
        assertArrayEquals(new float[] {0, 3, 0, 2, 0, 6}, given.values(TWO));
        assertArrayEquals(new float[] {0, 6, 0, 2, 0, 3}, given.withBgr(true).values(TWO));
        assertArrayEquals(
                new float[] {-1, 2, 0, 3, 1, 4}, BYTES.withMean(20).withStd(10).values(TWO));
    }

    @Test
    void letterboxKeepsTheRatio() {
        RgbImage framed = BYTES.withLetterbox(10, 10, 114).arrange(plain(20, 9));
        assertEquals(10, framed.width());
        assertEquals(10, framed.height());
        // 10 by 4.5, which is rounded to an even number, in the middle of ten rows.
        for (int y = 0; y < 10; y++) {
            int expected = y < 3 || y >= 7 ? 114 : 200;
            assertEquals(expected, framed.pixels()[3 * 10 * y] & 0xFF, "row " + y);
        }
    }

    /** A crop larger than the picture is framed in black, with the smaller half before it. */
    @Test
    void cropFramesWhatIsSmaller() {
        RgbImage framed = BYTES.withCrop(1, 5).arrange(TWO);
        assertArrayEquals(new byte[] {0, 0, 0, 10, 20, 30, 40, 50, 60, 0, 0, 0, 0, 0, 0}, framed.pixels());
    }

    @Test
    void cropThatIsNotSquareIsCovered() {
        RgbImage cut = ImagePreprocessing.imageNet(40, 90).arrange(plain(100, 100));
        assertEquals("RgbImage[90 x 40]", cut.toString());
        for (byte one : cut.pixels()) {
            assertEquals((byte) 200, one);
        }
    }

    @Test
    void wrongNumbersAreRefused() {
        assertEquals(
                "crop: 0 x 3 (expected: >= 1 each way)",
                assertThrows(IllegalArgumentException.class, () -> BYTES.withCrop(0, 3))
                        .getMessage());
        assertEquals(
                "std: [1.0, 0.0, 1.0] (expected: numbers other than 0)",
                assertThrows(IllegalArgumentException.class, () -> BYTES.withStd(1, 0, 1))
                        .getMessage());
        assertEquals(
                "mean: [1.0, 2.0] (expected: one number, or three)",
                assertThrows(IllegalArgumentException.class, () -> BYTES.withMean(1, 2))
                        .getMessage());
        assertThrows(IllegalArgumentException.class, () -> BYTES.withScale(Double.NaN));
        assertThrows(IllegalArgumentException.class, () -> BYTES.withLetterbox(4, 4, 256));
        // Twenty million columns.
        assertThrows(
                IllegalArgumentException.class,
                () -> BYTES.withShorterSide(20_000).arrange(plain(1000, 1)));
    }
}
