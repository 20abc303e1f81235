package org.torchnnapi.program.op;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.torchnnapi.program.ByteQuantization;
import org.torchnnapi.program.ValueType;

class QuantizedSoftmaxOpTest {
    private final Random random = new Random(4);

    @Test
    void equalsTheFormula() {
        for (ByteQuantization quantization : ByteOps.QUANTIZATIONS) {
            ByteQuantization output = new ByteQuantization(
                    quantization.element(), 1f / 256, quantization.element().min());
            for (int[] shape : new int[][] {{1}, {2, 5}, {3, 1, 7}, {2, 3, 4, 300}}) {
                ValueType type = ValueType.bytes(quantization, shape);
                for (int axis = -1; axis < shape.length; axis++) {
                    byte[] in = ByteOps.random(random, type);
                    for (float beta : new float[] {0.3f, 1, 40}) {
                        assertArrayEquals(
                                plain(type, in, axis < 0 ? shape.length - 1 : axis, beta, output),
                                ByteOps.run(new QuantizedSoftmaxOp(axis, beta, output), type, in),
                                () -> type + " " + beta);
                    }
                }
            }
        }
    }

    private static byte[] plain(ValueType type, byte[] in, int axis, float beta, ByteQuantization output) {
        int extent = type.dimension(axis);
        int inner = type.count(axis + 1, type.rank());
        byte[] out = new byte[in.length];
        for (int at = 0; at < in.length; at++) {
            int first = at / (extent * inner) * extent * inner + at % inner;
            float max = Float.NEGATIVE_INFINITY;
            for (int i = 0; i < extent; i++) {
                max = Math.max(max, ByteOps.real(type.quantization(), in[first + i * inner]));
            }
            double sum = 0;
            for (int i = 0; i < extent; i++) {
                sum += StrictMath.exp((ByteOps.real(type.quantization(), in[first + i * inner]) - max) * beta);
            }
            double one = StrictMath.exp((ByteOps.real(type.quantization(), in[at]) - max) * beta);
            out[at] = ByteOps.nearest(output, (float) (one / sum));
        }
        return out;
    }

    @Test
    void refusesWhatHasNoSoftmax() {
        ByteQuantization bytes = ByteOps.QUANTIZATIONS[0];
        assertThrows(IllegalArgumentException.class, () -> new QuantizedSoftmaxOp(0, 0, bytes));
        QuantizedSoftmaxOp softmax = new QuantizedSoftmaxOp(1, 1, bytes);
        assertThrows(IllegalArgumentException.class, () -> softmax.result(List.of(ValueType.bytes(bytes, 3))));
        assertThrows(IllegalArgumentException.class, () -> softmax.result(List.of(ValueType.floats(3, 4))));
    }
}
