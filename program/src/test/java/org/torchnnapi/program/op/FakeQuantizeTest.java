package org.torchnnapi.program.op;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.torchnnapi.program.ValueType;

/**
 * Against the rule in double: scales that are powers of two and others; halves, numbers that are too large, many and
 * few elements.
 */
class FakeQuantizeTest {
    @Test
    void equalsItsTwin() {
        Random random = new Random(4);
        for (FakeQuantize op : List.of(
                new FakeQuantize(0.125f, 0, 0, 65535),
                new FakeQuantize(1f / 2048, 0, -32768, 32767),
                new FakeQuantize(0.3f, 7, 0, 65535),
                new FakeQuantize(4, 300, 0, 65535))) {
            for (int count : new int[] {1, 15, 40_000}) {
                float[] in = new float[count];
                for (int i = 0; i < count; i++) {
                    in[i] = switch (random.nextInt(4)) {
                        case 0 -> (random.nextInt(40) - 9 + 0.5f) * op.scale();
                        case 1 -> (random.nextFloat() - 0.5f) * 3e5f * op.scale();
                        case 2 -> random.nextInt(9) == 0 ? Float.POSITIVE_INFINITY : -1e30f;
                        default -> (float) random.nextGaussian();
                    };
                }
                float[] out = (float[]) Ops.run(op, List.of(ValueType.floats(count)), in);
                for (int i = 0; i < count; i++) {
                    double number = Math.max(
                            op.least(), Math.min(op.most(), Math.rint((double) in[i] / op.scale()) + op.zeroPoint()));
                    assertEquals((float) ((number - op.zeroPoint()) * op.scale()), out[i], in[i] + " by " + op);
                }
            }
        }
    }

    @Test
    void moreStepsThanFloatsCanRoundAreRefused() {
        assertThrows(IllegalArgumentException.class, () -> new FakeQuantize(1, 0, 0, 1 << 21));
        assertThrows(IllegalArgumentException.class, () -> new FakeQuantize(0, 0, 0, 1));
    }
}
