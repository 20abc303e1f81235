package org.torchnnapi.execution.tracing.lower;

import static org.torchnnapi.execution.tracing.Agreement.bytes;
import static org.torchnnapi.execution.tracing.Agreement.floats;
import static org.torchnnapi.execution.tracing.Agreement.lowered;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ResizeLoweringTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "upsample_nearest2d(x, [7, 11])",
                "upsample_nearest2d(x, [8, 10], 2., 2.)",
                "upsample_nearest2d(x, None, [1.7, 0.6])",
                "upsample_nearest2d(x, [3, 2], None)"
            })
    void toTheNearest(String call) {
        lowered("torch." + call, floats(2, 3, 4, 5));
        lowered("torch." + call, bytes(2, 3, 4, 5));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "upsample_bilinear2d(x, [7, 11], False)",
                "upsample_bilinear2d(x, [7, 11], True)",
                "upsample_bilinear2d(x, [8, 10], False, 2., 2.)",
                "upsample_bilinear2d(x, None, False, [1.7, 0.6])"
            })
    void betweenFour(String call) {
        lowered("torch." + call, floats(2, 3, 4, 5));
    }

    @ParameterizedTest
    @ValueSource(strings = {"_upsample_nearest_exact2d(x, [7, 11])", "_upsample_nearest_exact2d(x, None, [1.7, 0.6])"})
    void toTheNearestOfTheMiddle(String call) {
        lowered("torch." + call, floats(2, 3, 4, 5));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "upsample_nearest1d(x, [7])",
                "upsample_nearest1d(x, [10], 2.)",
                "upsample_nearest1d(x, None, [1.7])",
                "upsample_nearest1d(x, [3], None)",
                "_upsample_nearest_exact1d(x, [3])",
                "upsample_linear1d(x, [7], False)",
                "upsample_linear1d(x, [7], True)",
                "upsample_linear1d(x, [11], False, 2.2)",
                "upsample_linear1d(x, None, False, [0.6])"
            })
    void sequences(String call) {
        lowered("torch." + call, floats(2, 3, 5));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "upsample_nearest3d(x, [6, 7, 11])",
                "upsample_nearest3d(x, None, [2., 1.7, 0.6])",
                "upsample_nearest3d(x, [3, 4, 9])",
                "_upsample_nearest_exact3d(x, [2, 4, 5])",
                "upsample_trilinear3d(x, [6, 8, 10], False)",
                "upsample_trilinear3d(x, [5, 2, 3], True)",
                "upsample_trilinear3d(x, [6, 8, 10], False, 2., 2., 2.)",
                "upsample_trilinear3d(x, None, False, [0.7, 1.3, 1.7])",
                "upsample_trilinear3d(x, [3, 4, 5], False, 1.1, 1., 1.)",
                "upsample_trilinear3d(x, [3, 4, 5], True)"
            })
    void volumes(String call) {
        lowered("torch." + call, floats(2, 3, 3, 4, 5));
    }
}
