package org.torchnnapi.execution.tracing.lower;

import static org.torchnnapi.execution.tracing.Agreement.floats;
import static org.torchnnapi.execution.tracing.Agreement.lowered;

import org.junit.jupiter.api.Test;
import org.torchnnapi.operators.packed.FloatContext;

class PrepackedLoweringTest {
    private static final int[][] GEOMETRY = {{2, 1}, {1, 1}, {1, 1}};

    @Test
    void convolutionsWithLimits() {
        Object[] constants = {
            FloatContext.CONVOLUTION.wrap(new FloatContext(floats(4, 3, 3, 3), floats(4), GEOMETRY, 1, 0.0, null))
        };
        lowered("ops.prepacked.conv2d_clamp_run(x, CONSTANTS.c0)", constants, floats(1, 3, 8, 8));
        int[][] transposed = {{2, 2}, {1, 1}, {1, 1}, {1, 1}};
        Object[] upward = {
            FloatContext.TRANSPOSED.wrap(new FloatContext(floats(3, 4, 3, 3), null, transposed, 1, -0.5, 0.5))
        };
        lowered("ops.prepacked.conv2d_transpose_clamp_run(x, CONSTANTS.c0)", upward, floats(1, 3, 5, 5));
    }

    @Test
    void layersWithLimits() {
        Object[] constants = {
            FloatContext.LINEAR.wrap(new FloatContext(floats(4, 5), floats(4), new int[0][], 1, null, 0.3))
        };
        lowered("ops.prepacked.linear_clamp_run(x, CONSTANTS.c0)", constants, floats(3, 5));
    }
}
