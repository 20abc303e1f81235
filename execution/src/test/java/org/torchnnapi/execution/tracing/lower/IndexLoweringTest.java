package org.torchnnapi.execution.tracing.lower;

import static org.torchnnapi.execution.tracing.Agreement.bytes;
import static org.torchnnapi.execution.tracing.Agreement.compare;
import static org.torchnnapi.execution.tracing.Agreement.floats;
import static org.torchnnapi.execution.tracing.Agreement.longs;
import static org.torchnnapi.execution.tracing.Agreement.lowered;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;

class IndexLoweringTest {
    private static final Object[] PLACES = {
        Tensor.of(new long[] {2, 0, -1, 2}, 4),
        Tensor.of(new long[] {1, 0, 2, -3, 1, 1}, 2, 3),
        Tensor.of(DType.BOOL, new byte[] {1, 0, 1, 1}, 4),
        Tensor.of(new long[] {1}, 1),
        Tensor.of(new long[] {0, 2}, 2, 1)
    };

    @ParameterizedTest
    @ValueSource(
            strings = {
                "[CONSTANTS.c0]",
                "[None, CONSTANTS.c1]",
                "[None, None, CONSTANTS.c0, CONSTANTS.c3]",
                "[CONSTANTS.c2]",
                "[CONSTANTS.c2, None, CONSTANTS.c3]",
                "[CONSTANTS.c1, CONSTANTS.c4]",
                "[None, CONSTANTS.c4, None, CONSTANTS.c1]",
                "[None, None, None, CONSTANTS.c0]"
            })
    void constantPlaces(String indices) {
        lowered("torch.index(x, " + indices + ")", PLACES, floats(4, 4, 4, 5));
        lowered("torch.index(x, " + indices + ")", PLACES, bytes(4, 4, 4, 5));
        lowered("torch.index(x, " + indices + ")", PLACES, longs(50, 4, 4, 4, 5));
    }

    @ParameterizedTest
    @ValueSource(strings = {"[y]", "[None, y]", "[None, None, y]"})
    void placesThatVary(String indices) {
        lowered("torch.index(x, " + indices + ")", floats(4, 5, 6), longs(4, 3, 2));
        lowered("torch.index(CONSTANTS.c0, [x])", new Object[] {floats(5, 3)}, longs(5, 7));
    }

    @Test
    void placesCountedFromTheBack() {
        Tensor back = Tensor.of(new long[] {-1, 0, -2}, 3);
        compare(List.of("return torch.index(x, [y])"), new Object[0], floats(4, 5), back);
    }
}
