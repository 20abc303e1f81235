package org.torchnnapi.torchscript.aten.ops;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.torchnnapi.torchscript.aten.ops.Op.expect;
import static org.torchnnapi.torchscript.aten.ops.Op.sizes;
import static org.torchnnapi.torchscript.aten.ops.Op.tensor;
import static org.torchnnapi.torchscript.aten.ops.Op.vector;

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
        expect(tensor("istft", out, 4L, 2L, 4L, vector(1, 1, 1, 1), false, true, null, null, false), sizes(8), 0, 1, 2, 3, 4, 5, 6, 7);
    }

    @Test
    void impossibleFramesAreRefused() {
        assertThrows(IllegalArgumentException.class, () -> tensor("stft", SIGNAL, 16L, 2L, 4L, null, false, null, true));
        assertThrows(IllegalArgumentException.class, () -> tensor("stft", SIGNAL, 4L, 0L, 4L, null, false, null, true));
        assertThrows(IllegalArgumentException.class, () -> tensor("stft", SIGNAL, 4L, 2L, 4L, vector(1), false, null, true));
    }
}
