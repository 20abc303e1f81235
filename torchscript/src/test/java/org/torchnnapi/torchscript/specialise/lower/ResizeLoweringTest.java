package org.torchnnapi.torchscript.specialise.lower;

import static org.torchnnapi.torchscript.specialise.Agreement.bytes;
import static org.torchnnapi.torchscript.specialise.Agreement.floats;
import static org.torchnnapi.torchscript.specialise.Agreement.lowered;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ResizeLoweringTest {
    @ParameterizedTest
    @ValueSource(strings = {"upsample_nearest2d(x, [7, 11])", "upsample_nearest2d(x, [8, 10], 2., 2.)", "upsample_nearest2d(x, None, [1.7, 0.6])",
        "upsample_nearest2d(x, [3, 2], None)"})
    void toTheNearest(String call) {
        lowered("torch." + call, floats(2, 3, 4, 5));
        lowered("torch." + call, bytes(2, 3, 4, 5));
    }

    @ParameterizedTest
    @ValueSource(strings = {"upsample_bilinear2d(x, [7, 11], False)", "upsample_bilinear2d(x, [7, 11], True)", "upsample_bilinear2d(x, [8, 10], False, 2., 2.)",
        "upsample_bilinear2d(x, None, False, [1.7, 0.6])"})
    void betweenFour(String call) {
        lowered("torch." + call, floats(2, 3, 4, 5));
    }
}
