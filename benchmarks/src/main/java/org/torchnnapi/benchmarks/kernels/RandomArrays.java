package org.torchnnapi.benchmarks.kernels;

import java.util.Random;

/** What kernels are measured on: the same numbers every time. */
final class RandomArrays {
    private RandomArrays() {}

    /** Within [-0.5, 0.5). */
    static float[] floats(int count) {
        Random random = new Random(count);
        float[] values = new float[count];
        for (int i = 0; i < count; i++) {
            values[i] = random.nextFloat() - 0.5f;
        }
        return values;
    }

    static byte[] bytes(int count) {
        byte[] values = new byte[count];
        new Random(count).nextBytes(values);
        return values;
    }

    /** Within [0, bound). */
    static int[] ints(int count, int bound) {
        return new Random(count).ints(count, 0, bound).toArray();
    }
}
