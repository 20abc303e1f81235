package org.torchnnapi.program.op;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.torchnnapi.program.ByteQuantization;
import org.torchnnapi.program.ValueType;

class DequantizeOpTest {
    @Test
    void floatsThatBytesStandFor() {
        for (ByteQuantization quantization : ByteOps.QUANTIZATIONS) {
            for (int count : new int[] {1, 67, 16389}) {
                ValueType type = ValueType.bytes(quantization, count);
                byte[] in = ByteOps.random(new Random(count), type);
                float[] expected = new float[count];
                for (int i = 0; i < count; i++) {
                    expected[i] = ByteOps.real(quantization, in[i]);
                }
                assertArrayEquals(expected, (float[]) Ops.run(new DequantizeOp(), List.of(type), in));
            }
        }
    }

    @Test
    void takesQuantizedBytesAlone() {
        assertThrows(IllegalArgumentException.class, () -> new DequantizeOp().result(List.of(ValueType.floats(2))));
        assertThrows(IllegalArgumentException.class, () -> new DequantizeOp().result(List.of(ValueType.flags(2))));
    }
}
