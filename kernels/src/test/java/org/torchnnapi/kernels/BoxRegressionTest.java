package org.torchnnapi.kernels;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Against the formula, number by number: floats within rounding of the exponential, bytes to the bit. */
class BoxRegressionTest {
    private static final float HEIGHT = 60;
    private static final float WIDTH = 90;
    private final Random random = new Random(8);

    private float[] boxes(int count) {
        float[] boxes = new float[4 * count];
        for (int i = 0; i < boxes.length; i += 4) {
            boxes[i] = random.nextInt(80);
            boxes[i + 1] = random.nextInt(50);
            boxes[i + 2] = boxes[i] + random.nextInt(40);
            boxes[i + 3] = boxes[i + 1] + random.nextInt(40);
        }
        return boxes;
    }

    /** One of the four numbers that a regression makes of a box. */
    private static float expected(float[] boxes, int box, float[] delta, int number) {
        int axis = number % 2;
        float size = boxes[box + 2 + axis] - boxes[box + axis];
        float centre = (boxes[box + axis] + boxes[box + 2 + axis]) / 2 + delta[axis] * size;
        float half = (float) StrictMath.exp(delta[2 + axis]) * size / 2;
        return Math.min(Math.max(number < 2 ? centre - half : centre + half, 0), axis == 0 ? WIDTH : HEIGHT);
    }

    @Test
    void floats() {
        for (int count : new int[] {0, 1, 3}) {
            for (int each : new int[] {1, 5, 18}) {
                float[] boxes = boxes(count + 1);
                float[] deltas = new float[2 + 4 * count * each];
                for (int i = 0; i < deltas.length; i++) {
                    deltas[i] = (float) random.nextGaussian() / 2;
                }
                float[] out = new float[1 + 4 * count * each];
                BoxRegression.regress(boxes, 4, count, deltas, 2, each, HEIGHT, WIDTH, out, 1);
                for (int i = 0; i < 4 * count * each; i++) {
                    int regression = i / 4;
                    float[] delta = Arrays.copyOfRange(deltas, 2 + 4 * regression, 6 + 4 * regression);
                    assertEquals(expected(boxes, 4 + 4 * (regression / each), delta, i % 4), out[1 + i], 1e-4);
                }
            }
        }
    }

    @Test
    void bytes() {
        float[] reals = new float[256];
        for (int i = 0; i < reals.length; i++) {
            reals[i] = (i - 120) * 0.013f;
        }
        float[] exponentials = BoxRegression.exponentials(reals);
        float[] boxes = boxes(3);
        byte[] deltas = new byte[4 * 3 * 7];
        random.nextBytes(deltas);
        float[] out = new float[deltas.length];
        BoxRegression.regress(boxes, 0, 3, deltas, 0, 7, reals, exponentials, HEIGHT, WIDTH, out, 0);
        for (int i = 0; i < out.length; i++) {
            float[] delta = new float[4];
            for (int j = 0; j < 4; j++) {
                delta[j] = reals[deltas[i / 4 * 4 + j] & 0xff];
            }
            assertEquals(expected(boxes, i / 28 * 4, delta, i % 4), out[i]);
        }
    }

    @Test
    void noRoomIsRefused() {
        assertThrows(
                IllegalArgumentException.class,
                () -> BoxRegression.regress(new float[4], 0, 1, new float[7], 0, 2, 1, 1, new float[8], 0));
        assertThrows(
                IllegalArgumentException.class,
                () -> BoxRegression.regress(
                        new float[4], 0, 1, new byte[4], 0, 1, new float[255], new float[256], 1, 1, new float[4], 0));
    }
}
