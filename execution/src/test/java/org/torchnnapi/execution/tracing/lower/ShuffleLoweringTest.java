package org.torchnnapi.execution.tracing.lower;

import static org.torchnnapi.execution.tracing.Agreement.bytes;
import static org.torchnnapi.execution.tracing.Agreement.floats;
import static org.torchnnapi.execution.tracing.Agreement.lowered;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ShuffleLoweringTest {
    @ParameterizedTest
    @ValueSource(
            strings = {"pixel_shuffle(x, 2)", "pixel_unshuffle(x, 3)", "channel_shuffle(x, 4)", "pixel_shuffle(x, 1)"})
    void exchanges(String call) {
        lowered("torch." + call, floats(2, 8, 6, 9));
        lowered("torch." + call, bytes(1, 8, 6, 6));
    }
}
