package org.torchnnapi.execution.tracing.lower;

import static org.torchnnapi.execution.tracing.Agreement.bytes;
import static org.torchnnapi.execution.tracing.Agreement.floats;
import static org.torchnnapi.execution.tracing.Agreement.lowered;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SliceLoweringTest {
    private static final Object[] NONE = {};

    @ParameterizedTest
    @ValueSource(
            strings = {
                "slice(x, 1, 1, 4)",
                "slice(x, -1, 0, 9223372036854775807, 2)",
                "slice(x, 2, -3, -1)",
                "narrow(x, 0, 1, 1)",
                "select(x, 1, -1)",
                "select(x, 3, 2)",
                "slice(x, 1, 2, 3)"
            })
    void onePart(String call) {
        lowered("torch.neg(torch." + call + ")", floats(2, 5, 4, 6));
        lowered("torch." + call.replace("(x", "(torch.neg(x)"), floats(2, 5, 4, 6));
    }

    @Test
    void allParts() {
        lowered(
                List.of("a, b = torch.chunk(x, 2, 1)", "return torch.add(torch.mul(a, 2.), b)"),
                NONE,
                floats(2, 6, 3, 3));
        lowered(List.of("a, b, c = torch.unbind(x, 0)", "return torch.sub(torch.mul(a, b), c)"), NONE, floats(3, 6));
        lowered(List.of("a, b = torch.split(x, [2, 4], 1)", "return torch.cat([b, a], 1)"), NONE, floats(3, 6));
        lowered(
                List.of("a, b, c = torch.split(x, 2, 1)", "return torch.cat([b, torch.relu(c), a], 1)"),
                NONE,
                bytes(3, 6));
    }
}
