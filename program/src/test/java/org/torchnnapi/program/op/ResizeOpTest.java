package org.torchnnapi.program.op;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.torchnnapi.kernels.ImageLayout;
import org.torchnnapi.kernels.Resize.Coordinates;
import org.torchnnapi.kernels.Rounding;
import org.torchnnapi.program.ByteQuantization;
import org.torchnnapi.program.ValueType;

class ResizeOpTest {
    private static final int BATCH = 2;
    /** Channels, height, width, and the height and width of the result. */
    private static final int[][] CASES = {
        {1, 1, 1, 3, 2}, {3, 4, 5, 8, 10}, {17, 7, 6, 3, 5}, {16, 5, 5, 5, 5}, {4, 3, 8, 1, 1}
    };

    private static ResizeOp resize(boolean bilinear, ImageLayout order, int[] size, Coordinates coordinates) {
        return new ResizeOp(
                bilinear ? ResizeOp.Interpolation.BILINEAR : ResizeOp.Interpolation.NEAREST,
                order,
                size[3],
                size[4],
                coordinates,
                (float) size[1] / size[3],
                (float) size[2] / size[4],
                Rounding.HALF_EVEN);
    }

    private static double coordinate(Coordinates coordinates, int at, int in, int out, double half) {
        double scale = (double) in / out;
        return switch (coordinates) {
            case ASYMMETRIC -> at * scale;
            case HALF_PIXEL, HALF_PIXEL_DOUBLE -> (at + 0.5) * scale - half;
            case ALIGN_CORNERS, ALIGN_CORNERS_DOUBLE -> out == 1 ? 0 : at * (double) (in - 1) / (out - 1);
        };
    }

    /** Which of the input's coordinates is nearest. */
    private static int nearest(Coordinates coordinates, int at, int in, int out) {
        double exact = coordinate(coordinates, at, in, out, 0);
        // What division leaves out must not make a whole coordinate the one before.
        return Math.min(in - 1, (int) Math.floor(exact + (coordinates.alignsCorners() ? 0.5 : 0) + 1e-6));
    }

    @ParameterizedTest
    @EnumSource
    void nearestElements(Coordinates coordinates) {
        for (ImageLayout order : Images.ORDERS) {
            for (int[] size : CASES) {
                Images from = new Images(order, BATCH, size[0], size[1], size[2]);
                Images to = new Images(order, BATCH, size[0], size[3], size[4]);
                float[] in = (float[]) Ops.random(new Random(9), ValueType.floats(from.shape()));
                ValueType bytes = ValueType.bytes(ByteOps.QUANTIZATIONS[1], from.shape());
                byte[] inBytes = ByteOps.random(new Random(9), bytes);
                float[] expected = new float[to.count()];
                byte[] expectedBytes = new byte[to.count()];
                each(to, (n, c, y, x) -> {
                    int at = from.at(
                            n, c, nearest(coordinates, y, size[1], size[3]), nearest(coordinates, x, size[2], size[4]));
                    expected[to.at(n, c, y, x)] = in[at];
                    expectedBytes[to.at(n, c, y, x)] = inBytes[at];
                });
                ResizeOp resize = resize(false, order, size, coordinates);
                assertArrayEquals(
                        expected,
                        (float[]) Ops.run(resize, List.of(ValueType.floats(from.shape())), in),
                        resize.toString());
                assertArrayEquals(expectedBytes, ByteOps.run(resize, bytes, inBytes), resize.toString());
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void mixedNeighbours(Coordinates coordinates) {
        for (ImageLayout order : Images.ORDERS) {
            for (int[] size : CASES) {
                Images from = new Images(order, BATCH, size[0], size[1], size[2]);
                Images to = new Images(order, BATCH, size[0], size[3], size[4]);
                float[] in = (float[]) Ops.random(new Random(9), ValueType.floats(from.shape()));
                ByteQuantization quantization = ByteOps.QUANTIZATIONS[1];
                ValueType bytes = ValueType.bytes(quantization, from.shape());
                byte[] inBytes = ByteOps.random(new Random(9), bytes);
                ResizeOp resize = resize(true, order, size, coordinates);
                float[] floats = (float[]) Ops.run(resize, List.of(ValueType.floats(from.shape())), in);
                byte[] mixed = ByteOps.run(resize, bytes, inBytes);
                each(to, (n, c, y, x) -> {
                    double row = Math.max(0, coordinate(coordinates, y, size[1], size[3], 0.5));
                    double column = Math.max(0, coordinate(coordinates, x, size[2], size[4], 0.5));
                    double sum = 0;
                    double sumOfBytes = 0;
                    for (int corner = 0; corner < 4; corner++) {
                        int cornerY = (int) Math.min(Math.floor(row) + corner / 2, size[1] - 1);
                        int cornerX = (int) Math.min(Math.floor(column) + corner % 2, size[2] - 1);
                        double down = row - Math.floor(row);
                        double across = column - Math.floor(column);
                        double weight = (corner / 2 == 0 ? 1 - down : down) * (corner % 2 == 0 ? 1 - across : across);
                        sum += weight * in[from.at(n, c, cornerY, cornerX)];
                        sumOfBytes += weight * inBytes[from.at(n, c, cornerY, cornerX)];
                    }
                    int at = to.at(n, c, y, x);
                    assertEquals(sum, floats[at], 1e-5, resize.toString());
                    // Halves may be rounded either way, since weights are rounded themselves.
                    assertEquals(sumOfBytes, mixed[at], 0.501, resize.toString());
                });
            }
        }
    }

    private interface Visitor {
        void visit(int image, int channel, int y, int x);
    }

    private static void each(Images images, Visitor visitor) {
        for (int i = 0; i < images.count(); i++) {
            int x = i % images.width();
            int y = i / images.width() % images.height();
            int channel = i / images.width() / images.height() % images.channels();
            visitor.visit(i / images.width() / images.height() / images.channels(), channel, y, x);
        }
    }

    @Test
    void checksItsArguments() {
        ResizeOp resize = resize(true, ImageLayout.NCHW, CASES[1], Coordinates.HALF_PIXEL);
        assertArrayEquals(
                new int[] {1, 6, 8, 10},
                resize.result(List.of(ValueType.floats(1, 6, 4, 5))).shape());
        assertThrows(IllegalArgumentException.class, () -> resize.result(List.of(ValueType.floats(6, 4, 5))));
        assertThrows(IllegalArgumentException.class, () -> resize.result(List.of(ValueType.ints(1, 6, 4, 5))));
    }
}
