package org.torchnnapi.operators.ops;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Random;
import org.junit.jupiter.api.Test;

class PlainRecurrenceTest {
    private final Random random = new Random(9);

    @Test
    void stepsAgainstTheFormula() {
        for (int hidden : new int[] {1, 3, 16, 33}) {
            for (int sequences : new int[] {1, 2, 7}) {
                for (boolean reverse : new boolean[] {false, true}) {
                    agree(5, hidden, sequences, reverse, hidden % 2 == 0);
                }
            }
        }
    }

    private void agree(int inputs, int hidden, int sequences, boolean reverse, boolean tanh) {
        int steps = 4;
        int width = hidden + 2;
        float[] wi = numbers(hidden * inputs);
        float[] wh = numbers(hidden * hidden);
        float[] bias = numbers(hidden);
        float[] in = numbers(steps * sequences * inputs);
        float[] state = numbers(sequences * hidden + 1);
        float[] plain = state.clone();
        PlainRecurrence layer = new PlainRecurrence(tanh, inputs, hidden, wi, wh, bias, null);
        float[] out = new float[1 + steps * sequences * width];
        layer.run(layer.sums(in, steps * sequences), 0, out, 1, width, steps, sequences, reverse, state, 1);
        for (int i = 0; i < steps; i++) {
            int step = reverse ? steps - 1 - i : i;
            for (int s = 0; s < sequences; s++) {
                float[] next = new float[hidden];
                for (int h = 0; h < hidden; h++) {
                    double sum = bias[h];
                    for (int k = 0; k < inputs; k++) {
                        sum += wi[h * inputs + k] * in[(step * sequences + s) * inputs + k];
                    }
                    for (int k = 0; k < hidden; k++) {
                        sum += wh[h * hidden + k] * plain[1 + s * hidden + k];
                    }
                    next[h] = (float) (tanh ? Math.tanh(sum) : Math.max(sum, 0));
                    assertEquals(next[h], out[1 + (step * sequences + s) * width + h], 1e-4f);
                }
                System.arraycopy(next, 0, plain, 1 + s * hidden, hidden);
                assertEquals(0, out[1 + (step * sequences + s) * width + hidden]);
            }
        }
        assertArrayEquals(plain, state, 1e-4f);
    }

    private float[] numbers(int count) {
        float[] numbers = new float[count];
        for (int i = 0; i < count; i++) {
            numbers[i] = (float) random.nextGaussian() * 0.3f;
        }
        return numbers;
    }
}
