package org.torchnnapi.program.op;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Random;
import org.junit.jupiter.api.Test;
import org.torchnnapi.kernels.StridedAxes;

class StridedBlockTest {
    private final Random random = new Random(8);

    @Test
    void movesTheSameElementsMergedOrNot() {
        for (int attempt = 0; attempt < 100; attempt++) {
            int[] dims = random.ints(1 + random.nextInt(4), 1, 5).toArray();
            int[] room = dims.clone();
            for (int i = 0; i < room.length; i++) {
                room[i] += random.nextInt(2);
            }
            StridedBlock copy = new StridedBlock(dims, 2, StridedAxes.steps(room), 1, StridedAxes.steps(dims));
            int size = count(dims);
            float[] in = new float[3 + count(room)];
            byte[] bytes = new byte[in.length];
            for (int i = 0; i < in.length; i++) {
                in[i] = random.nextInt(256);
                bytes[i] = (byte) in[i];
            }
            float[] expected = new float[2 + size];
            for (int i = 0; i < size; i++) {
                expected[2 + i] = in[1 + 2 + StridedAxes.place(i, dims, dims.length, copy.fromSteps())];
            }
            for (StridedBlock one : new StridedBlock[] {copy, copy.merged()}) {
                float[] out = new float[expected.length];
                byte[] outBytes = new byte[expected.length];
                int middle = one.rows() / 2;
                one.run(in, 1, out, 1, 0, middle);
                one.run(in, 1, out, 1, middle, one.rows());
                one.run(bytes, 1, outBytes, 1, 0, one.rows());
                assertArrayEquals(expected, out);
                for (int i = 0; i < out.length; i++) {
                    assertEquals((byte) out[i], outBytes[i]);
                }
            }
        }
    }

    private static int count(int[] dims) {
        int count = 1;
        for (int dim : dims) {
            count *= dim;
        }
        return count;
    }
}
