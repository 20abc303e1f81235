package org.torchnnapi.program.op;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.torchnnapi.program.ValueType;

class DynamicRangeOpTest {
    @Test
    void ofEachRun() {
        float[] in = new float[(1 << 16) + 3];
        in[5] = -2;
        in[(1 << 15) - 1] = 3;
        in[1 << 15] = 4;
        in[(1 << 16) + 2] = -7;
        assertArrayEquals(new float[] {-2, 3, 0, 4, -7, 0}, (float[])
                Ops.run(new DynamicRangeOp(), List.of(ValueType.floats(in.length)), in));
        assertThrows(IllegalArgumentException.class, () -> new DynamicRangeOp().result(List.of(ValueType.ints(3))));
    }
}
