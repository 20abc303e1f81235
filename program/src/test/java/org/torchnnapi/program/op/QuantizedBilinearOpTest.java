package org.torchnnapi.program.op;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.torchnnapi.kernels.ImageLayout;
import org.torchnnapi.kernels.Resize.Coordinates;
import org.torchnnapi.program.ByteQuantization;
import org.torchnnapi.program.ValueType;

class QuantizedBilinearOpTest {
    private static final int BATCH = 2;
    private static final int CHANNELS = 3;
    /** Height and width before and behind. */
    private static final int[][] SIZES = {{1, 1, 3, 4}, {5, 7, 9, 13}, {8, 6, 3, 2}, {4, 4, 4, 4}, {3, 5, 1, 1}};

    private final Random random = new Random(4);

    @Test
    void mixesFourNeighbours() {
        for (int[] size : SIZES) {
            for (Coordinates coordinates :
                    new Coordinates[] {Coordinates.ASYMMETRIC, Coordinates.HALF_PIXEL, Coordinates.ALIGN_CORNERS}) {
                for (ByteQuantization quantization : ByteOps.QUANTIZATIONS) {
                    byte[] in =
                            ByteOps.random(random, ValueType.bytes(quantization, BATCH, CHANNELS, size[0], size[1]));
                    byte[] expected = plain(quantization, in, size, coordinates);
                    ValueType planes = ValueType.bytes(quantization, BATCH, CHANNELS, size[0], size[1]);
                    assertArrayEquals(
                            expected,
                            ByteOps.run(
                                    new QuantizedBilinearOp(ImageLayout.NCHW, size[2], size[3], coordinates),
                                    planes,
                                    in));
                    ValueType pixels = ValueType.bytes(quantization, BATCH, size[0], size[1], CHANNELS);
                    assertArrayEquals(
                            toPixels(expected, size[2] * size[3]),
                            ByteOps.run(
                                    new QuantizedBilinearOp(ImageLayout.NHWC, size[2], size[3], coordinates),
                                    pixels,
                                    toPixels(in, size[0] * size[1])));
                }
            }
        }
    }

    private static byte[] toPixels(byte[] planes, int pixels) {
        byte[] out = new byte[planes.length];
        for (int i = 0; i < planes.length; i++) {
            int image = i / (CHANNELS * pixels);
            out[(image * pixels + i % pixels) * CHANNELS + i / pixels % CHANNELS] = planes[i];
        }
        return out;
    }

    private static byte[] plain(ByteQuantization quantization, byte[] in, int[] size, Coordinates coordinates) {
        byte[] out = new byte[BATCH * CHANNELS * size[2] * size[3]];
        for (int i = 0; i < out.length; i++) {
            float y = position(i / size[3] % size[2], size[0], size[2], coordinates);
            float x = position(i % size[3], size[1], size[3], coordinates);
            int plane = i / (size[2] * size[3]) * size[0] * size[1];
            int top = (int) y;
            int bottom = Math.min(top + 1, size[0] - 1);
            float[] rows = new float[2];
            for (int r = 0; r < 2; r++) {
                int row = plane + (r == 0 ? top : bottom) * size[1];
                float left = ByteOps.real(quantization, in[row + (int) x]);
                float right = ByteOps.real(quantization, in[row + Math.min((int) x + 1, size[1] - 1)]);
                rows[r] = left * (1 - (x - (int) x)) + right * (x - (int) x);
            }
            out[i] = ByteOps.nearest(quantization, rows[0] * (1 - (y - top)) + rows[1] * (y - top));
        }
        return out;
    }

    private static float position(int index, int in, int out, Coordinates coordinates) {
        float at = switch (coordinates) {
            case ASYMMETRIC -> index * (in / (float) out);
            case HALF_PIXEL -> (index + 0.5f) * (in / (float) out) - 0.5f;
            case ALIGN_CORNERS -> index * (out == 1 ? in : (in - 1) / (float) (out - 1));
            default -> throw new IllegalArgumentException("coordinates: " + coordinates);
        };
        return Math.max(0, Math.min(at, in - 1));
    }

    @Test
    void refusesOtherThanImagesOfBytes() {
        QuantizedBilinearOp resize = new QuantizedBilinearOp(ImageLayout.NHWC, 2, 2, Coordinates.ASYMMETRIC);
        assertThrows(IllegalArgumentException.class, () -> resize.result(List.of(ValueType.floats(1, 2, 2, 1))));
        assertThrows(
                IllegalArgumentException.class,
                () -> resize.result(List.of(ValueType.bytes(ByteOps.QUANTIZATIONS[0], 2, 2, 1))));
        assertThrows(
                IllegalArgumentException.class,
                () -> new QuantizedBilinearOp(ImageLayout.NHWC, 2, 2, Coordinates.HALF_PIXEL_DOUBLE));
        assertThrows(
                IllegalArgumentException.class,
                () -> new QuantizedBilinearOp(ImageLayout.NHWC, 0, 2, Coordinates.ASYMMETRIC)
                        .result(List.of(ValueType.bytes(ByteOps.QUANTIZATIONS[0], 1, 2, 2, 1))));
    }
}
