package org.torchnnapi.program.op;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.FloatBuffer;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.torchnnapi.kernels.Quantizing;
import org.torchnnapi.program.ByteQuantization;
import org.torchnnapi.program.GraphBuilder;
import org.torchnnapi.program.ImageStorage;
import org.torchnnapi.program.Plain;
import org.torchnnapi.program.ValueType;

class QuantizeOpTest {
    /** Batch, channels, height, width. */
    private static final int[][] SHAPES = {
        {1, 1, 3, 5}, {1, 3, 1, 1}, {2, 3, 64, 65}, {1, 4, 32, 64}, {3, 2, 7, 9}, {1, 5, 6, 7}
    };

    @Test
    void bytesAreTheNearest() {
        Random random = new Random(1);
        for (int[] shape : SHAPES) {
            for (ByteQuantization quantization : ByteOps.QUANTIZATIONS) {
                float[] in = (float[]) Ops.random(random, ValueType.floats(shape));
                assertArrayEquals(nearest(in, quantization), run(in, shape, quantization, ImageStorage.DECLARED));
            }
        }
    }

    @Test
    void channelsAreLaidTogetherWhereThatIsWished() {
        Random random = new Random(2);
        for (int[] shape : SHAPES) {
            for (ByteQuantization quantization : ByteOps.QUANTIZATIONS) {
                float[] in = (float[]) Ops.random(random, ValueType.floats(shape));
                byte[] apart = nearest(in, quantization);
                byte[] together = new byte[apart.length];
                int channels = shape[1];
                int pixels = shape[2] * shape[3];
                for (int i = 0; i < together.length; i++) {
                    int image = i / (channels * pixels);
                    together[i] = apart[image * channels * pixels + i % channels * pixels + i / channels % pixels];
                }
                assertArrayEquals(together, run(in, shape, quantization, ImageStorage.CHANNELS_LAST));
            }
        }
    }

    private static byte[] nearest(float[] in, ByteQuantization quantization) {
        byte[] bytes = new byte[in.length];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = ByteOps.nearest(quantization, in[i]);
        }
        return bytes;
    }

    private static byte[] run(float[] in, int[] shape, ByteQuantization quantization, ImageStorage storage) {
        GraphBuilder builder = new GraphBuilder();
        int input = builder.input(ValueType.floats(shape), ImageStorage.DECLARED);
        builder.output(builder.add(new QuantizeOp(quantization, Quantizing.Rule.QUOTIENT_HALF_EVEN), input), storage);
        byte[] out = new byte[in.length];
        Plain.shared(builder.build())
                .newRun()
                .execute(new Buffer[] {FloatBuffer.wrap(in)}, new Buffer[] {ByteBuffer.wrap(out)}, () -> {});
        return out;
    }
}
