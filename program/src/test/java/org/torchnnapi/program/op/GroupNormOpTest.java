package org.torchnnapi.program.op;

import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.torchnnapi.program.ValueType;

class GroupNormOpTest {
    private static final float EPSILON = 1e-3f;

    @ParameterizedTest
    @CsvSource({"1, 1, 1, 5", "2, 6, 3, 7", "1, 32, 4, 9", "3, 5, 5, 13", "2, 12, 1, 64"})
    void groupsHaveMeanZeroAndVarianceOne(int batch, int channels, int groups, int pixels) {
        Random random = new Random(channels);
        ValueType type = ValueType.floats(batch, channels, pixels);
        float[] in = (float[]) Ops.random(random, type);
        float[] scale = (float[]) Ops.random(random, ValueType.floats(channels));
        float[] shift = (float[]) Ops.random(random, ValueType.floats(channels));
        float[] expected = LayerNormOpTest.normalized(in, channels / groups * pixels, EPSILON);
        float[] scaled = new float[in.length];
        for (int i = 0; i < in.length; i++) {
            int channel = i / pixels % channels;
            scaled[i] = expected[i] * scale[channel] + shift[channel];
        }
        Ops.assertNear(
                expected, (float[]) Ops.run(new GroupNormOp(groups, EPSILON, null, null), List.of(type), in), "plain");
        Ops.assertNear(
                scaled, (float[]) Ops.run(new GroupNormOp(groups, EPSILON, scale, shift), List.of(type), in), "scaled");
    }

    @Test
    void refusesGroupsThatDoNotDivideTheChannels() {
        assertThrows(
                IllegalArgumentException.class,
                () -> new GroupNormOp(4, EPSILON, null, null).result(List.of(ValueType.floats(5, 6, 7))));
        assertThrows(
                IllegalArgumentException.class,
                () -> new GroupNormOp(1, EPSILON, null, null).result(List.of(ValueType.floats(5))));
    }
}
