package org.torchnnapi.program.op;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.torchnnapi.kernels.Resize.Coordinates;
import org.torchnnapi.program.ValueType;

class VolumeResizeOpTest {
    @Test
    void slicesAreMixedOrTaken() {
        float[] in = {1, 10, 3, 30, 7, 70, 8, 80};
        List<ValueType> types = List.of(ValueType.floats(4, 2));
        assertArrayEquals(
                new float[] {1, 10, 1.5f, 15, 2.5f, 25, 3, 30, 7, 70, 7.25f, 72.5f, 7.75f, 77.5f, 8, 80},
                (float[]) Ops.run(new VolumeResizeOp(true, 2, 4, Coordinates.HALF_PIXEL, 0.5f), types, in));
        assertArrayEquals(new float[] {1, 10, 2, 20, 3, 30, 7, 70, 7.5f, 75, 8, 80}, (float[])
                Ops.run(new VolumeResizeOp(true, 2, 3, Coordinates.ALIGN_CORNERS, 2f / 3), types, in));
        assertArrayEquals(new float[] {1, 10, 1, 10, 3, 30, 7, 70, 7, 70, 8, 80}, (float[])
                Ops.run(new VolumeResizeOp(false, 2, 3, Coordinates.ASYMMETRIC, 2f / 3), types, in));
        assertArrayEquals(new float[] {7, 70}, (float[])
                Ops.run(new VolumeResizeOp(false, 4, 1, Coordinates.HALF_PIXEL, 4), types, in));
    }

    @Test
    void awkwardSizesAgainstTheFormula() {
        Random random = new Random(4);
        for (int depth : new int[] {1, 3, 8}) {
            for (int outDepth : new int[] {1, 5, 13}) {
                for (int[] plane : new int[][] {{1, 1, 1}, {3, 5, 7}, {17, 9, 4}}) {
                    float scale = (float) depth / outDepth;
                    ValueType type = ValueType.floats(2 * depth, plane[0], plane[1], plane[2]);
                    float[] in = (float[]) Ops.random(random, type);
                    float[] out = (float[]) Ops.run(
                            new VolumeResizeOp(true, depth, outDepth, Coordinates.HALF_PIXEL, scale),
                            List.of(type),
                            in);
                    int size = plane[0] * plane[1] * plane[2];
                    for (int i = 0; i < out.length; i++) {
                        int slice = i / size % outDepth;
                        int first = i / size / outDepth * depth * size + i % size;
                        float at = Math.max((slice + 0.5f) * scale - 0.5f, 0);
                        int low = Math.min((int) at, depth - 1);
                        int high = Math.min(low + 1, depth - 1);
                        float weight = Math.min(at - low, 1);
                        assertEquals(
                                (1 - weight) * in[first + low * size] + weight * in[first + high * size],
                                out[i],
                                1e-6f);
                    }
                }
            }
        }
    }

    @Test
    void checksItsArguments() {
        List<ValueType> four = List.of(ValueType.floats(4, 2));
        assertThrows(
                IllegalArgumentException.class,
                () -> new VolumeResizeOp(true, 3, 2, Coordinates.HALF_PIXEL, 1.5f).result(four));
        assertThrows(
                IllegalArgumentException.class,
                () -> new VolumeResizeOp(true, 2, 0, Coordinates.HALF_PIXEL, 1).result(four));
        assertThrows(
                IllegalArgumentException.class,
                () -> new VolumeResizeOp(true, 2, 2, Coordinates.HALF_PIXEL, 0).result(four));
    }
}
