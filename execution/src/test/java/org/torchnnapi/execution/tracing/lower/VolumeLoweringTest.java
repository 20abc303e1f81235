package org.torchnnapi.execution.tracing.lower;

import static org.torchnnapi.execution.tracing.Agreement.floats;
import static org.torchnnapi.execution.tracing.Agreement.lowered;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class VolumeLoweringTest {
    private static final Object[] WEIGHTS = {
        floats(8, 6, 3, 3, 3),
        floats(8),
        floats(8, 3, 1, 3, 2),
        floats(12, 1, 3, 1, 1),
        floats(6, 5, 2, 2, 2),
        floats(5),
        floats(6, 4, 3, 2, 3)
    };

    @ParameterizedTest
    @ValueSource(
            strings = {
                "conv3d(x, CONSTANTS.c0, CONSTANTS.c1, [1, 1, 1], [1, 1, 1])",
                "conv3d(x, CONSTANTS.c0, None, [2, 1, 2], [1, 0, 1])",
                "conv3d(x, CONSTANTS.c0, None, [1, 1, 1], [2, 1, 1], [2, 1, 1])",
                "conv3d(x, CONSTANTS.c2, CONSTANTS.c1, [1, 1, 1], [0, 1, 0], [1, 1, 1], 2)",
                "conv3d(x, CONSTANTS.c3, None, [1, 1, 1], [1, 0, 0], [1, 1, 1], 6)",
                "conv3d(x, CONSTANTS.c0, CONSTANTS.c1, padding=\"same\")",
                "conv_transpose3d(x, CONSTANTS.c4, CONSTANTS.c5, [2, 2, 2])",
                "conv_transpose3d(x, CONSTANTS.c6, None, [2, 1, 2], [1, 0, 1], [1, 0, 0])",
                "_convolution(x, CONSTANTS.c0, CONSTANTS.c1, [1, 1, 1], [1, 1, 1], [1, 1, 1], False, [0, 0, 0], 1, "
                        + "False, False, True, True)"
            })
    void convolutions(String call) {
        lowered("torch." + call, WEIGHTS, floats(2, 6, 4, 5, 6));
        lowered("torch." + call, WEIGHTS, floats(1, 6, 3, 3, 4));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "max_pool3d(x, [2, 2, 2])",
                "max_pool3d(x, [3, 3, 3], [2, 2, 2], [1, 1, 1])",
                "max_pool3d(x, [1, 2, 2])",
                "max_pool3d(x, [2, 1, 1], [1, 1, 1])",
                "max_pool3d(x, [2, 2, 2], [2, 2, 2], [0, 0, 0], [1, 1, 1], True)",
                "avg_pool3d(x, [2, 2, 2])",
                "max_pool3d(x, [2, 2, 2], [1, 1, 1], [0, 0, 0], [2, 1, 2])",
                "avg_pool3d(x, [3, 3, 3], [1, 1, 1], [1, 1, 1])",
                "avg_pool3d(x, [3, 3, 3], [1, 1, 1], [1, 1, 1], False, False)",
                "adaptive_avg_pool3d(x, [1, 1, 1])",
                "adaptive_avg_pool3d(x, [2, 5, 3])",
                "adaptive_avg_pool3d(x, [3, 2, 4])",
                "adaptive_avg_pool3d(x, [7, 5, 8])"
            })
    void pooling(String call) {
        lowered("torch." + call, floats(2, 3, 4, 5, 6));
    }
}
