package org.torchnnapi.operators.ops;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.torchnnapi.operators.ops.Op.counted;
import static org.torchnnapi.operators.ops.Op.expect;
import static org.torchnnapi.operators.ops.Op.floats;
import static org.torchnnapi.operators.ops.Op.sizes;
import static org.torchnnapi.operators.ops.Op.tensor;
import static org.torchnnapi.operators.ops.Op.tensors;

import java.util.concurrent.CancellationException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.torchnnapi.tensor.Tensor;

/** Expected values are genuine PyTorch's. */
class RegionPoolingTest {
    private static final Tensor MAP = counted(1, 1, 4, 4);
    private static final Tensor REGION = floats(sizes(1, 5), 0, 0, 0, 3, 3);

    @Test
    void alignsAndPools() {
        expect(
                tensor("torchvision::roi_align", MAP, REGION, 1.0, 2L, 2L, 2L, true),
                sizes(1, 1, 2, 2),
                1.5625,
                3,
                7.3125,
                8.75);
        expect(tensors("torchvision::roi_pool", MAP, REGION, 1.0, 2L, 2L)[0], sizes(1, 1, 2, 2), 5, 7, 13, 15);
    }

    @Test
    void hostileRegionsAreRefused() {
        assertThrows(
                IllegalArgumentException.class,
                () -> tensor("torchvision::roi_align", MAP, floats(sizes(1, 5), 1, 0, 0, 3, 3), 1.0, 2L, 2L, 2L, true));
        assertThrows(
                IllegalArgumentException.class,
                () -> tensor(
                        "torchvision::roi_align", MAP, floats(sizes(1, 5), 0, 0, 0, 1e30, 3), 1.0, 2L, 2L, 0L, true));
    }

    /** Samples are not bounded by the sizes of the arguments. */
    @Test
    @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void manySamplesEndWithAnInterrupt() {
        Thread.currentThread().interrupt();
        try {
            assertThrows(
                    CancellationException.class,
                    () -> tensor("torchvision::roi_align", MAP, REGION, 1.0, 7L, 7L, 1_000_000L, true));
        } finally {
            Thread.interrupted();
        }
    }
}
