package org.torchnnapi.kernels.internal.vector;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.Random;
import org.junit.jupiter.api.BeforeAll;
import org.torchnnapi.kernels.Kernels;
import org.torchnnapi.kernels.Requantization;

/** What tests of single vector loops have in common; they run where the Vector API was chosen, at every width. */
abstract class VectorTest {
    final Random random = new Random(11);

    @BeforeAll
    static void choose() {
        assumeTrue(
                System.getProperty("torchnnapi.kernels", "").equals("vector"), "other kernels are tested in this run");
        // The choice of the provider makes its module visible.
        Kernels.describe();
    }

    byte[] bytes(int count) {
        byte[] values = new byte[count];
        random.nextBytes(values);
        return values;
    }

    /** Sums as convolutions have them: whole numbers, small and large. */
    float[] sums(int count) {
        float[] values = new float[count];
        for (int i = 0; i < count; i++) {
            values[i] = random.nextInt(-(1 << 24), 1 << 24) >> random.nextInt(20);
        }
        return values;
    }

    /** With one factor or one a channel, and limits that bind. */
    Requantization[] rules(int channels) {
        float[] scales = new float[channels];
        for (int c = 0; c < channels; c++) {
            // Halves are met, as with scales that are powers of two.
            scales[c] = c % 2 == 0 ? 0.25f : random.nextFloat() + 1e-4f;
        }
        return new Requantization[] {
            Requantization.halfEven(new float[] {0.5f}, 7, 0, 255),
            Requantization.halfEven(scales, -3, -128, 100),
            Requantization.halfEven(new float[] {3e30f}, 0, 0, 200),
            Requantization.halfEven(new float[] {0.125f}, 130, 128, 255),
            Requantization.halfEven(scales, 5, -100, 127),
            Requantization.halfEven(new float[] {5.5f}, 5, -100, 127)
        };
    }
}
