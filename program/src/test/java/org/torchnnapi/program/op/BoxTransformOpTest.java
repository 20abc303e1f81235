package org.torchnnapi.program.op;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.torchnnapi.program.ValueType;

/** Against the formula, one number at a time. */
class BoxTransformOpTest {
    private static final float[] SIZES = {60, 80, 33, 20};
    private final Random random = new Random(5);

    private static List<ValueType> types(ValueType deltas) {
        int boxes = deltas.dimension(0);
        return List.of(ValueType.floats(boxes, 4), deltas, ValueType.ints(boxes), ValueType.floats(2, 2));
    }

    private float[] boxes(int count) {
        float[] boxes = new float[4 * count];
        for (int i = 0; i < boxes.length; i++) {
            boxes[i] = i % 4 < 2 ? random.nextInt(30) : boxes[i - 2] + random.nextInt(40);
        }
        return boxes;
    }

    @Test
    void equalsItsTwin() {
        for (int count : new int[] {1, 2, 50}) {
            for (int classes : new int[] {1, 3, 21}) {
                for (ValueType deltas : List.of(
                        ValueType.floats(count, 4 * classes),
                        ValueType.bytes(ByteOps.QUANTIZATIONS[0], count, 4 * classes),
                        ValueType.bytes(ByteOps.QUANTIZATIONS[1], count, 4 * classes))) {
                    float[] boxes = boxes(count);
                    Object by = Ops.random(random, deltas);
                    int[] images = random.ints(count, 0, 2).toArray();
                    float[] out = (float[]) Ops.run(new BoxTransformOp(), types(deltas), boxes, by, images, SIZES);
                    for (int i = 0; i < out.length; i++) {
                        int box = i / (4 * classes);
                        int axis = i % 2;
                        int delta = i / 4 * 4;
                        float size = boxes[4 * box + 2 + axis] - boxes[4 * box + axis];
                        double centre = boxes[4 * box + axis] + size / 2 + real(deltas, by, delta + axis) * size;
                        double half = Math.exp(real(deltas, by, delta + 2 + axis)) * size / 2;
                        double limit = SIZES[2 * images[box] + 1 - axis];
                        double expected = Math.min(Math.max(i % 4 < 2 ? centre - half : centre + half, 0), limit);
                        assertEquals(expected, out[i], 1e-4, "number " + i + " of " + deltas);
                    }
                }
            }
        }
    }

    private static double real(ValueType type, Object data, int at) {
        return data instanceof byte[] bytes ? ByteOps.real(type.quantization(), bytes[at]) : ((float[]) data)[at];
    }

    @Test
    void anExecutionWithABoxThatEndsBeforeItStartsOrOfNoImageFails() {
        List<ValueType> types = types(ValueType.floats(1, 4));
        float[] deltas = new float[4];
        assertThrows(
                IllegalArgumentException.class,
                () -> Ops.run(new BoxTransformOp(), types, new float[] {2, 0, 1, 1}, deltas, new int[] {0}, SIZES));
        assertThrows(
                IllegalArgumentException.class,
                () -> Ops.run(new BoxTransformOp(), types, new float[] {0, 0, 1, 1}, deltas, new int[] {2}, SIZES));
    }
}
