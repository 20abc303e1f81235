package org.torchnnapi.program.op;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.torchnnapi.program.ByteQuantization;
import org.torchnnapi.program.Element;
import org.torchnnapi.program.ValueType;

class L2NormalizationOpTest {
    @Test
    void rowsOfFloatsHaveNormOneOrZero() {
        Random random = new Random(7);
        for (int axis = -1; axis < 3; axis++) {
            ValueType type = ValueType.floats(4, 5, 6);
            float[] in = (float[]) Ops.random(random, type);
            if (axis == 2) {
                Arrays.fill(in, 0, 6, 0);
            }
            float[] actual = (float[]) Ops.run(new L2NormalizationOp(axis, null), List.of(type), in);
            int along = axis < 0 ? 2 : axis;
            int size = type.dimension(along);
            int inner = type.count(along + 1, 3);
            for (int row = 0; row < 120 / size; row++) {
                double norm = 0;
                for (int i = 0; i < size; i++) {
                    norm += Math.pow(in[(row / inner * size + i) * inner + row % inner], 2);
                }
                for (int i = 0; i < size; i++) {
                    int at = (row / inner * size + i) * inner + row % inner;
                    assertEquals(norm == 0 ? 0 : in[at] / Math.sqrt(norm), actual[at], 1e-6);
                }
            }
        }
    }

    @Test
    void rowsOfBytes() {
        ByteQuantization output = new ByteQuantization(Element.UINT8, 1f / 128, 128);
        ValueType type = ValueType.bytes(ByteOps.QUANTIZATIONS[0], 9, 7);
        byte[] in = ByteOps.random(new Random(8), type);
        byte[] actual = (byte[]) Ops.run(new L2NormalizationOp(1, output), List.of(type), in);
        for (int row = 0; row < 9; row++) {
            double norm = 0;
            for (int i = 0; i < 7; i++) {
                norm += Math.pow(ByteOps.real(type.quantization(), in[row * 7 + i]), 2);
            }
            for (int i = 0; i < 7; i++) {
                float quotient = (float) (ByteOps.real(type.quantization(), in[row * 7 + i]) / Math.sqrt(norm));
                assertEquals(ByteOps.nearest(output, quotient), actual[row * 7 + i]);
            }
        }
    }
}
