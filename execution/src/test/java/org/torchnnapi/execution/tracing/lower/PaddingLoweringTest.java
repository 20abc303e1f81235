package org.torchnnapi.execution.tracing.lower;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.torchnnapi.execution.tracing.Agreement.bytes;
import static org.torchnnapi.execution.tracing.Agreement.floats;
import static org.torchnnapi.execution.tracing.Agreement.lowered;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.torchnnapi.execution.tracing.Methods;

class PaddingLoweringTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "constant_pad_nd(x, [1, 2, 3, 0], 0.5)",
                "pad(x, [1, 1], \"constant\", None)",
                "pad(x, [0, 1, 0, 2, 1, 0], \"constant\", -1.)"
            })
    void ofImages(String call) {
        lowered("torch." + call, floats(2, 3, 4, 5));
        lowered("torch." + call, bytes(2, 3, 4, 5));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "reflection_pad2d(x, [1, 2, 3, 0])",
                "replication_pad2d(x, [3, 2, 0, 7])",
                "pad(x, [2, 1], \"reflect\", None)",
                "pad(x, [2, 1, 0, 3], \"circular\", None)",
                "pad(x, [-1, 2, 1, -2], \"circular\", None)",
                "relu(torch.reflection_pad2d(x, [3, 3, 3, 3]))",
                "replication_pad3d(torch.unsqueeze(x, 0), [1, 1, 2, 2, 0, 1])",
                "reflection_pad1d(torch.select(x, 0, 0), [4, 0])"
            })
    void byElementsAtTheEdges(String call) {
        lowered("torch." + call, floats(2, 3, 4, 5));
    }

    /** Added up in 32 bits, the two make a size of 5. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "constant_pad_nd(x, [2147483647, 2147483647], 0.)",
                "pad(x, [2147483647, 2147483647], \"replicate\", None)"
            })
    void sizesThatTakeMoreThan32BitsAreRefused(String call) {
        Methods methods = Methods.forward(1, List.of("return torch." + call));
        String rule =
                "padded size: 4294967301, which is 7 with padding 2147483647 and 2147483647 (expected: <= 2147483647)";
        for (String message : List.of(
                assertThrows(RuntimeException.class, () -> methods.specialise("forward", floats(1, 1, 1, 7)))
                        .getMessage(),
                assertThrows(RuntimeException.class, () -> methods.interpret("forward", floats(1, 1, 1, 7)))
                        .getMessage())) {
            assertTrue(message.contains(rule), message);
        }
    }

    /** Where each element comes from is made before them. */
    @ParameterizedTest
    @ValueSource(strings = {"replication_pad1d(x, [2000000000, 0])", "pad(x, [0, 2000000000], \"replicate\", None)"})
    void placesAreNotKeptForMoreThanTheHeapHolds(String call) {
        Methods methods = Methods.forward(1, List.of("return torch." + call));
        RuntimeException e = assertThrows(RuntimeException.class, () -> methods.specialise("forward", floats(1, 1, 7)));
        assertTrue(e.getMessage().contains("(expected: at most what the heap has left, "), e.getMessage());
        assertTrue(
                methods.description().toString().contains("places of 2000000007 elements along a dimension"),
                methods.description().toString());
    }
}
