package org.torchnnapi.operators.ops;

import static org.torchnnapi.operators.ops.Op.expect;
import static org.torchnnapi.operators.ops.Op.sizes;
import static org.torchnnapi.operators.ops.Op.tensor;

import org.junit.jupiter.api.Test;

/** Expected values are genuine PyTorch's. */
class WindowFunctionsTest {
    @Test
    void periodicAndSymmetric() {
        expect(tensor("hann_window", 4L), sizes(4), 0, 0.5, 1, 0.5);
        expect(tensor("hann_window.periodic", 4L, false), sizes(4), 0, 0.75, 0.75, 0);
        expect(tensor("hann_window", 1L), sizes(1), 1);
        expect(tensor("hamming_window", 2L), sizes(2), 0.08, 1);
        expect(tensor("bartlett_window", 2L), sizes(2), 0, 1);
    }
}
