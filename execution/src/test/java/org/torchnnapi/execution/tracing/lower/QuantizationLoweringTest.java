package org.torchnnapi.execution.tracing.lower;

import static org.torchnnapi.execution.tracing.Agreement.bytes;
import static org.torchnnapi.execution.tracing.Agreement.floats;
import static org.torchnnapi.execution.tracing.Agreement.lowered;

import org.junit.jupiter.api.Test;

class QuantizationLoweringTest {
    @Test
    void toBytesAndBack() {
        lowered("torch.quantize_per_tensor(x, 0.03, 11, 13)", floats(2, 3, 4, 5));
        lowered("torch.quantize_per_tensor(x, 0.007, -11, 12)", floats(2, 3, 4, 5));
        lowered("torch.dequantize(x)", bytes(2, 3, 4, 5));
    }
}
