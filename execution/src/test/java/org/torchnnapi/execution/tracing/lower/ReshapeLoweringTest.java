package org.torchnnapi.execution.tracing.lower;

import static org.torchnnapi.execution.tracing.Agreement.bytes;
import static org.torchnnapi.execution.tracing.Agreement.floats;
import static org.torchnnapi.execution.tracing.Agreement.lowered;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ReshapeLoweringTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "reshape(x, [2, -1])",
                "flatten(x, 1)",
                "view(torch.relu(x), [6, -1])",
                "unsqueeze(x, 2)",
                "squeeze(torch.unsqueeze(x, 0), 0)",
                "reshape(torch.permute(x, [0, 2, 3, 1]), [2, -1])"
            })
    void ofRowMajorTensors(String call) {
        lowered(List.of("y = torch." + call, "return torch.mul(y, 2.)"), new Object[0], floats(2, 3, 4, 5));
        lowered(List.of("y = torch." + call, "return torch.relu(y)"), new Object[0], bytes(2, 3, 4, 5));
    }

    @ParameterizedTest
    @ValueSource(strings = {"reshape(x, [2, -1])", "flatten(x, 1)"})
    void ofImagesWithTheirChannelsLast(String call) {
        lowered("torch.neg(torch." + call + ")", floats(2, 3, 4, 5));
    }
}
