package org.torchnnapi.program.op;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.torchnnapi.program.ValueType;

/** Against a search through the pixels in their order; the peak around the maximum has a test of its own. */
class KeypointsOpTest {
    private static final double TOLERANCE = 1e-5;
    private static final float[] BOXES = {0, 0, 10, 20, 3.5f, 2, 3.5f, 40, 100, 50, 130, 60};
    private final Random random = new Random(2);

    private static List<ValueType> types(ValueType maps) {
        return List.of(maps, ValueType.floats(maps.dimension(0), 4));
    }

    private static float real(ValueType type, Object data, int at) {
        return data instanceof byte[] bytes ? ByteOps.real(type.quantization(), bytes[at]) : ((float[]) data)[at];
    }

    private void check(ValueType type, Object maps) {
        int size = type.dimension(1);
        int keypoints = type.dimension(3);
        int all = type.dimension(0) * keypoints;
        float[] out = (float[]) Ops.run(new KeypointsOp(TOLERANCE), types(type), maps, BOXES);
        Peak peak = new Peak();
        for (int i = 0; i < all; i++) {
            int box = i / keypoints;
            int first = box * size * size * keypoints + i % keypoints;
            int best = 0;
            float most = Float.NEGATIVE_INFINITY;
            for (int pixel = 0; pixel < size * size; pixel++) {
                float value = real(type, maps, first + pixel * keypoints);
                if (value > most) {
                    best = pixel;
                    most = value;
                }
            }
            float[] around = new float[Peak.AROUND];
            for (int j = 0; j < around.length; j++) {
                int y = Peak.mirrored(best / size + j / 3 - 1, size);
                int x = Peak.mirrored(best % size + j % 3 - 1, size);
                around[j] = real(type, maps, first + (y * size + x) * keypoints);
            }
            peak.refine(best % size, best / size, around, TOLERANCE);
            assertEquals((float) peak.score(), out[i], "score " + i + " of " + type);
            assertEquals(
                    (float) ((peak.x() + 0.5) / size * (BOXES[4 * box + 2] - BOXES[4 * box]) + BOXES[4 * box]),
                    out[all + 2 * i]);
            assertEquals(
                    (float) ((peak.y() + 0.5) / size * (BOXES[4 * box + 3] - BOXES[4 * box + 1]) + BOXES[4 * box + 1]),
                    out[all + 2 * i + 1]);
        }
    }

    @Test
    void equalsItsTwin() {
        for (int size : new int[] {2, 3, 14}) {
            for (int keypoints : new int[] {1, 5, 17}) {
                int[] shape = {3, size, size, keypoints};
                for (ValueType type : List.of(
                        ValueType.floats(shape),
                        ValueType.bytes(ByteOps.QUANTIZATIONS[0], shape),
                        ValueType.bytes(ByteOps.QUANTIZATIONS[1], shape))) {
                    check(type, Ops.random(random, type));
                }
            }
        }
    }

    @Test
    void aNanIsNoMaximum() {
        ValueType type = ValueType.floats(3, 4, 4, 6);
        float[] maps = (float[]) Ops.random(random, type);
        for (int i = 0; i < maps.length; i += 7) {
            maps[i] = Float.NaN;
        }
        check(type, maps);
    }

    @Test
    void anExecutionWithABoxThatEndsBeforeItStartsFails() {
        ValueType type = ValueType.floats(1, 2, 2, 1);
        assertThrows(
                IllegalArgumentException.class,
                () -> Ops.run(new KeypointsOp(TOLERANCE), types(type), new float[4], new float[] {1, 0, 0, 1}));
    }
}
