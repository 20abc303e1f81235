package org.torchnnapi.program.op;

import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.torchnnapi.program.ValueType;

class PowerOpTest {
    @Test
    void ofShapesThatRepeat() {
        float[] exponents = {2, -1, 0.5f};
        List<ValueType> types = List.of(ValueType.floats(40, 3), ValueType.floats(3));
        float[] bases = (float[]) Ops.random(new Random(10), types.get(0));
        float[] expected = new float[bases.length];
        for (int i = 0; i < expected.length; i++) {
            expected[i] = (float) StrictMath.pow(bases[i], exponents[i % 3]);
        }
        Ops.assertNear(expected, (float[]) Ops.run(new PowerOp(), types, bases, exponents), "powers");
    }

    @Test
    void takesFloatsAlone() {
        assertThrows(
                IllegalArgumentException.class,
                () -> new PowerOp().result(List.of(ValueType.floats(2), ValueType.ints(2))));
    }
}
