package org.torchnnapi.operators.ops;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.torchnnapi.operators.ops.Op.expect;
import static org.torchnnapi.operators.ops.Op.floats;
import static org.torchnnapi.operators.ops.Op.sizes;
import static org.torchnnapi.operators.ops.Op.tensor;
import static org.torchnnapi.operators.ops.Op.vector;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.torchnnapi.tensor.Tensor;

/** Expected values are genuine PyTorch's. */
class SpectrogramsTest {
    private static final Tensor SIGNAL = vector(0, 1, 2, 3, 4, 5, 6, 7);

    @Test
    void framesAndTheirSpectra() {
        Tensor out = tensor("stft", SIGNAL, 4L, 2L, 4L, vector(1, 1, 1, 1), false, null, false);
        expect(out, sizes(3, 3, 2), 6, 0, 14, 0, 22, 0, -2, 2, -2, 2, -2, 2, -2, 0, -2, 0, -2, 0);
    }

    @Test
    void theInverseGivesTheSignalBack() {
        Tensor out = tensor("stft", SIGNAL, 4L, 2L, 4L, vector(1, 1, 1, 1), true, null, true);
        expect(
                tensor("istft", out, 4L, 2L, 4L, vector(1, 1, 1, 1), false, true, null, null, false),
                sizes(8),
                0,
                1,
                2,
                3,
                4,
                5,
                6,
                7);
    }

    @Test
    void impossibleFramesAreRefused() {
        assertThrows(
                IllegalArgumentException.class, () -> tensor("stft", SIGNAL, 16L, 2L, 4L, null, false, null, true));
        assertThrows(IllegalArgumentException.class, () -> tensor("stft", SIGNAL, 4L, 0L, 4L, null, false, null, true));
        assertThrows(
                IllegalArgumentException.class, () -> tensor("stft", SIGNAL, 4L, 2L, 4L, vector(1), false, null, true));
    }

    @Test
    void ofWholeSpectraTheFirstHalfMakesRealSignals() {
        double[] parts = IntStream.range(0, 24).asDoubleStream().toArray();
        Tensor spectrum = tensor("view_as_complex", floats(sizes(4, 3, 2), parts));
        Tensor window = vector(1, 1, 1, 1);
        expect(tensor("istft", spectrum, 4L, 2L, null, window, true, false, false), sizes(4), 4, -3.5, 5, -3.5);
        Tensor complex = tensor("istft", spectrum, 4L, 2L, null, window, true, false, false, null, true);
        expect(tensor("view_as_real", complex), sizes(4, 2), 4, 4.5, -3, -3, 5, 5.5, -3, -3);
        assertThrows(
                IllegalArgumentException.class,
                () -> tensor("istft", spectrum, 4L, 2L, null, spectrum, true, false, false));
    }
}
