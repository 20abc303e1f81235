package org.torchnnapi.program.op;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.lang.reflect.Array;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.torchnnapi.program.ValueType;

/** Against the largest of all pixels of a bin, one channel at a time. */
class RoiPoolOpTest {
    private static final int ROWS = 9;
    private static final int COLUMNS = 12;
    private static final int HEIGHT = 4;
    private static final int WIDTH = 3;
    /** The last rounds to a pixel past the image's end, so that some of its bins are empty. */
    private static final float[] REGIONS = {0, 0, 24, 18, 3.5f, 2, 11, 2.25f, 24, 18, 24, 18};

    private static final int[] IMAGES = {0, 1, 1};

    private final Random random = new Random(9);

    private static List<ValueType> types(ValueType images) {
        return List.of(images, ValueType.floats(IMAGES.length, 4), ValueType.ints(IMAGES.length));
    }

    @Test
    void equalsItsTwin() {
        for (int channels : new int[] {1, 5, 33}) {
            for (ValueType images : List.of(
                    ValueType.floats(2, ROWS, COLUMNS, channels),
                    ValueType.bytes(ByteOps.QUANTIZATIONS[0], 2, ROWS, COLUMNS, channels),
                    ValueType.bytes(ByteOps.QUANTIZATIONS[1], 2, ROWS, COLUMNS, channels))) {
                Object in = Ops.random(random, images);
                Object out = Ops.run(new RoiPoolOp(HEIGHT, WIDTH, 2, 2), types(images), in, REGIONS, IMAGES);
                for (int i = 0; i < Array.getLength(out); i++) {
                    int bin = i / channels;
                    double expected =
                            bin(images, in, bin / (HEIGHT * WIDTH), bin / WIDTH % HEIGHT, bin % WIDTH, i % channels);
                    assertEquals(expected, real(images, out, i), "element " + i + " of " + images);
                }
            }
        }
    }

    private static double real(ValueType type, Object data, int at) {
        return data instanceof byte[] bytes ? ByteOps.real(type.quantization(), bytes[at]) : ((float[]) data)[at];
    }

    private static double bin(ValueType type, Object in, int region, int y, int x, int channel) {
        double most = Double.NEGATIVE_INFINITY;
        int at = region * 4;
        for (int row = 0; row < ROWS; row++) {
            for (int column = 0; column < COLUMNS; column++) {
                if (isIn(row, y, HEIGHT, REGIONS[at + 1] / 2, REGIONS[at + 3] / 2)
                        && isIn(column, x, WIDTH, REGIONS[at] / 2, REGIONS[at + 2] / 2)) {
                    int pixel = (IMAGES[region] * ROWS + row) * COLUMNS + column;
                    most = Math.max(most, real(type, in, pixel * type.dimension(3) + channel));
                }
            }
        }
        return most == Double.NEGATIVE_INFINITY ? 0 : most;
    }

    private static boolean isIn(int pixel, int bin, int bins, float from, float to) {
        int start = Math.round(from);
        double size = (double) (Math.round(to) - start + 1) / bins;
        return pixel >= start + Math.floor(size * bin) && pixel < start + Math.ceil(size * (bin + 1));
    }

    @Test
    void anExecutionWithARegionOutsideItsImageFails() {
        ValueType images = ValueType.floats(2, ROWS, COLUMNS, 1);
        float[] in = new float[images.count()];
        float[] negative = REGIONS.clone();
        negative[0] = -1;
        assertThrows(
                IllegalArgumentException.class,
                () -> Ops.run(new RoiPoolOp(HEIGHT, WIDTH, 2, 2), types(images), in, negative, IMAGES));
    }
}
