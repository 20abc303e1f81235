package org.torchnnapi.operators.ops;

import static org.torchnnapi.operators.ops.Op.expect;
import static org.torchnnapi.operators.ops.Op.floats;
import static org.torchnnapi.operators.ops.Op.sizes;
import static org.torchnnapi.operators.ops.Op.tensor;

import org.junit.jupiter.api.Test;

/** Expected values are genuine PyTorch's. */
class WeightNormTest {
    @Test
    void scalesEachRowToItsLength() {
        expect(
                tensor("_weight_norm", floats(sizes(2, 2), 3, 4, 0, 2), floats(sizes(2, 1), 10, 1), 0L),
                sizes(2, 2),
                6,
                8,
                0,
                1);
    }
}
