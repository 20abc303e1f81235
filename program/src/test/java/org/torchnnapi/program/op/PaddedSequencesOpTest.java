package org.torchnnapi.program.op;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.torchnnapi.program.ValueType;

class PaddedSequencesOpTest {
    @Test
    void aNumberBehindTheEnds() {
        float[] in = {1, 2, Float.NaN, 4, 5, 6, 7, 8};
        byte[] flags = {1, 0, 1, 1};
        assertArrayEquals(new float[] {1, 2, -3, -3, 5, 6, 7, 8}, (float[]) Ops.run(
                new PaddedSequencesOp(-3), List.of(ValueType.floats(2, 2, 2), ValueType.flags(2, 2)), in, flags));
    }

    @Test
    void sequencesOfEveryLength() {
        Random random = new Random(3);
        for (int steps : new int[] {1, 6, 17}) {
            ValueType type = ValueType.floats(4, steps, 5);
            float[] in = (float[]) Ops.random(random, type);
            byte[] flags = new byte[4 * steps];
            int[] lengths = {steps, steps / 2, steps - 1, steps};
            for (int i = 0; i < flags.length; i++) {
                flags[i] = (byte) (i % steps < lengths[i / steps] ? 1 : 0);
            }
            float[] out =
                    (float[]) Ops.run(new PaddedSequencesOp(0.5f), List.of(type, ValueType.flags(4, steps)), in, flags);
            for (int i = 0; i < in.length; i++) {
                assertEquals(flags[i / 5] == 1 ? in[i] : 0.5f, out[i]);
            }
        }
    }

    @Test
    void sequencesThatAreAllShorterAreRefused() {
        List<ValueType> types = List.of(ValueType.floats(1, 2, 1), ValueType.flags(1, 2));
        assertThrows(
                IllegalArgumentException.class,
                () -> Ops.run(new PaddedSequencesOp(0), types, new float[] {1, 2}, new byte[] {1, 0}));
        assertThrows(
                IllegalArgumentException.class,
                () -> new PaddedSequencesOp(0).result(List.of(ValueType.floats(1, 2, 1), ValueType.flags(2, 1))));
    }
}
