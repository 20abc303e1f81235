package org.torchnnapi.program.op;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.torchnnapi.program.ValueType;

/** Against bilinear samples one channel at a time; bytes against floats of the same numbers. */
class RoiAlignOpTest {
    private static final int ROWS = 9;
    private static final int COLUMNS = 12;
    private static final int HEIGHT = 3;
    private static final int WIDTH = 2;
    private static final float[] REGIONS = {0, 0, 24, 18, 3.5f, 2, 11, 2.25f, 20, 17, 24, 18, 1, 1, 1, 1};
    private static final int[] IMAGES = {0, 1, 1, 0};

    private final Random random = new Random(8);

    private static List<ValueType> types(ValueType images) {
        return List.of(images, ValueType.floats(IMAGES.length, 4), ValueType.ints(IMAGES.length));
    }

    @Test
    void equalsItsTwin() {
        for (int channels : new int[] {1, 5, 33}) {
            for (int samples : new int[] {0, 1, 2, 20}) {
                ValueType images = ValueType.floats(2, ROWS, COLUMNS, channels);
                float[] in = (float[]) Ops.random(random, images);
                float[] out = (float[]) Ops.run(
                        new RoiAlignOp(HEIGHT, WIDTH, 2, 2, samples, samples, null),
                        types(images),
                        in,
                        REGIONS,
                        IMAGES);
                for (int i = 0; i < out.length; i++) {
                    int bin = i / channels;
                    double expected = bin(
                            in,
                            channels,
                            bin / (HEIGHT * WIDTH),
                            bin / WIDTH % HEIGHT,
                            bin % WIDTH,
                            i % channels,
                            samples);
                    assertEquals(
                            expected,
                            out[i],
                            1e-4,
                            "element " + i + " of " + channels + " channels, " + samples + " samples");
                }
            }
        }
    }

    private static double bin(float[] in, int channels, int region, int y, int x, int channel, int samples) {
        float top = REGIONS[region * 4 + 1] / 2;
        float left = REGIONS[region * 4] / 2;
        float rowStep = Math.max(REGIONS[region * 4 + 3] / 2 - top, 1) / HEIGHT;
        float columnStep = Math.max(REGIONS[region * 4 + 2] / 2 - left, 1) / WIDTH;
        int down = samples > 0 ? samples : (int) Math.ceil(rowStep);
        int across = samples > 0 ? samples : (int) Math.ceil(columnStep);
        double sum = 0;
        for (int r = 0; r < down; r++) {
            for (int c = 0; c < across; c++) {
                double row = Math.min(ROWS - 1, top + rowStep * (y + (r + 0.5) / down));
                double column = Math.min(COLUMNS - 1, left + columnStep * (x + (c + 0.5) / across));
                for (int i = 0; i < ROWS; i++) {
                    for (int j = 0; j < COLUMNS; j++) {
                        double weight = Math.max(0, 1 - Math.abs(row - i)) * Math.max(0, 1 - Math.abs(column - j));
                        sum += weight * in[((IMAGES[region] * ROWS + i) * COLUMNS + j) * channels + channel];
                    }
                }
            }
        }
        return sum / ((double) down * across);
    }

    @Test
    void bytesRoundWhatFloatsGive() {
        for (int i = 0; i < ByteOps.QUANTIZATIONS.length; i++) {
            ValueType images = ValueType.bytes(ByteOps.QUANTIZATIONS[i], 2, ROWS, COLUMNS, 7);
            byte[] in = (byte[]) Ops.random(random, images);
            float[] real = new float[in.length];
            for (int j = 0; j < in.length; j++) {
                real[j] = ByteOps.real(images.quantization(), in[j]);
            }
            byte[] out = (byte[]) Ops.run(
                    new RoiAlignOp(HEIGHT, WIDTH, 2, 2, 0, 2, images.quantization()),
                    types(images),
                    in,
                    REGIONS,
                    IMAGES);
            float[] expected = (float[]) Ops.run(
                    new RoiAlignOp(HEIGHT, WIDTH, 2, 2, 0, 2, null),
                    types(ValueType.floats(2, ROWS, COLUMNS, 7)),
                    real,
                    REGIONS,
                    IMAGES);
            for (int j = 0; j < out.length; j++) {
                assertEquals(expected[j], ByteOps.real(images.quantization(), out[j]), images.scale() * 0.501);
            }
        }
    }

    @Test
    void anExecutionWithARegionOutsideItsImageFails() {
        ValueType images = ValueType.floats(2, ROWS, COLUMNS, 1);
        float[] in = new float[images.count()];
        RoiAlignOp op = new RoiAlignOp(HEIGHT, WIDTH, 2, 2, 1, 1, null);
        float[] wide = REGIONS.clone();
        wide[2] = 24.5f;
        assertThrows(IllegalArgumentException.class, () -> Ops.run(op, types(images), in, wide, IMAGES));
        assertThrows(
                IllegalArgumentException.class, () -> Ops.run(op, types(images), in, REGIONS, new int[] {0, 2, 0, 0}));
        float[] turned = REGIONS.clone();
        turned[0] = 25;
        assertThrows(IllegalArgumentException.class, () -> Ops.run(op, types(images), in, turned, IMAGES));
    }

    @Test
    void checksItsInputs() {
        RoiAlignOp op = new RoiAlignOp(HEIGHT, WIDTH, 2, 2, 1, 1, null);
        ValueType images = ValueType.floats(2, ROWS, COLUMNS, 1);
        assertArrayEquals(
                new int[] {4, HEIGHT, WIDTH, 1}, op.result(types(images)).shape());
        assertThrows(
                IllegalArgumentException.class,
                () -> op.result(types(ValueType.bytes(ByteOps.QUANTIZATIONS[0], 2, ROWS, COLUMNS, 1))));
        assertThrows(
                IllegalArgumentException.class,
                () -> op.result(List.of(images, ValueType.floats(4, 5), ValueType.ints(4))));
        assertThrows(
                IllegalArgumentException.class,
                () -> op.result(List.of(images, ValueType.floats(4, 4), ValueType.ints(3))));
    }
}
