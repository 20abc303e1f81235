package org.torchnnapi.execution.tracing.lower;

import static org.torchnnapi.execution.tracing.Agreement.bytes;
import static org.torchnnapi.execution.tracing.Agreement.floats;
import static org.torchnnapi.execution.tracing.Agreement.lowered;

import java.util.List;
import org.junit.jupiter.api.Test;

class ConcatenationLoweringTest {
    private static final Object[] NONE = {};

    @Test
    void alongAnyDimension() {
        lowered("torch.cat([x, y, x], 1)", floats(2, 3, 4, 5), floats(2, 2, 4, 5));
        lowered("torch.cat([x, torch.relu(y)], -1)", floats(2, 3), floats(2, 4));
        lowered("torch.cat([x, y], 0)", bytes(2, 3, 4, 4), bytes(1, 3, 4, 4));
    }

    @Test
    void alongANewDimension() {
        lowered("torch.stack([x, y], 1)", floats(2, 3), floats(2, 3));
    }

    @Test
    void ofAListThatGrows() {
        lowered(
                List.of(
                        "parts = annotate(List[Tensor], [])",
                        "for i in range(3):",
                        "  _0 = torch.append(parts, torch.mul(x, i))",
                        "return torch.cat(parts, 1)"),
                NONE,
                floats(2, 3));
    }
}
